"""The joint network: tags, features, lemmas, trees, entities and sentiment from one pass over the words."""
