"""Morphological analyses by the joint network, tried and not adopted: see ``__main__``."""
