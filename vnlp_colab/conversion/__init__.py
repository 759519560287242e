"""How a network becomes a checked ``.onnx`` file; `vnlp_colab.convert_to_onnx` is the public face.

``catalog`` is the table of networks, ``arrays`` and ``sources`` read their weights, ``graph`` makes the ONNX graph,
``proof`` holds it against Keras, and ``manifest`` records what was written.
"""
