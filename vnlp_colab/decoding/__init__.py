"""From word vectors to class scores, left to right: contexts, history and dense head, decoded incrementally or stepwise.

SPUContext and TreeStack differ in how a word becomes a vector; what follows is this room's.
"""
