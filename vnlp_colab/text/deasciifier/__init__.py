"""Turkish letters back into text typed without them: ``boyle sey gormedim`` becomes ``böyle şey görmedim``.

Three small models trained in this project (``training/deasciifier``) share one file: letter windows judge a word by
itself, with a list of the words they get wrong; neighbours decide between the readings of an ambiguous form; vowel
harmony with the stem decides a suffix behind an apostrophe. Only ``c g i o s u`` ever change, one letter for one, so
the length and every position of the text stay. Words that hold a Turkish letter already are left alone.
"""

from vnlp_colab.text.deasciifier.model import MODEL_FILE, MODEL_FORMAT, Deasciifier, default_deasciifier, unpack

__all__ = ["MODEL_FILE", "MODEL_FORMAT", "Deasciifier", "default_deasciifier", "unpack"]
