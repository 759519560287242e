"""Training of the joint network: one pass for tags, features, lemmas, trees, entities and sentiment."""
