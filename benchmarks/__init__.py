"""How fast the package is, beside Keras, a plain conversion and other tools: ``python -m benchmarks --help``."""
