"""From word vectors to class scores, word by word: contexts, labels before and dense head, two ways of decoding.

SPUContext and TreeStack differ in how a word becomes a vector; what follows is this room's.
"""
