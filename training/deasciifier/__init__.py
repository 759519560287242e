"""Train, measure and pack the deasciifier that ``Normalizer.deasciify`` uses (`python -m training.deasciifier`)."""
