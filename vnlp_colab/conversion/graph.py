"""A Keras network as an ONNX graph whose weights have stable, readable names.

tf2onnx folds equal or zero constants together, so the graph it makes depends on the values of the weights. It is
therefore given random weights, all different; each array is then found again in the graph by its content and named
after its layer. The result is a template, into which any weights can be filled.
"""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import numpy_helper

from vnlp_colab.conversion.errors import ConversionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vnlp_colab.conversion.catalog import NetworkSpec

OPSET = 13
OUTPUT = "scores"
_CONTROL_FLOW = frozenset({"Loop", "Scan", "If"})
_INITIAL_STATE = 5  # the position of `initial_h` among the inputs of an ONNX GRU


def hide_gpus() -> None:
    """Keep TensorFlow on the CPU: where it sees a GPU, its GRU becomes a cuDNN operation that ONNX does not know."""
    import tensorflow as tf

    try:
        tf.config.set_visible_devices([], "GPU")
    except RuntimeError:  # TensorFlow is already running in this process, too late to change what it sees
        if tf.config.list_logical_devices("GPU"):
            raise ConversionError(
                "TensorFlow already uses the GPU in this process, and conversion needs it on the CPU; "
                "run `vnlp-colab convert` in a process of its own"
            ) from None


def build_keras_model(network: NetworkSpec) -> Any:
    """Build the Keras network, on the CPU."""
    hide_gpus()
    from vnlp_colab import keras_models

    return getattr(keras_models, network.builder)()


def probe_weights(model: Any) -> list[np.ndarray]:
    """Return random weights, all different and of a size that keeps float32 errors small over full windows."""
    random = np.random.default_rng(0)
    weights = []
    for weight in model.weights:
        array = random.standard_normal(tuple(weight.shape), dtype=np.float32)
        # Rows of an embedding are looked up, not added up.
        weights.append(array if "embeddings" in weight.name else array / np.float32(np.sqrt(len(array))))
    return weights


def make_template(network: NetworkSpec, model: Any) -> onnx.ModelProto:
    """Convert a Keras network that holds `probe_weights`; the graph computes the same, under readable names."""
    proto = _from_keras(network, model)
    named = _named_weights(model)
    _name_weights(network, proto, named)
    _drop_zero_states(proto)
    _number_names(proto, named)
    _name_batch(proto)
    _check(network, proto)
    return proto


def _from_keras(network: NetworkSpec, model: Any) -> onnx.ModelProto:
    import tensorflow as tf
    import tf2onnx

    signature = [
        tf.TensorSpec((None, *spec.shape), tf.float32 if spec.one_hot else tf.int32, name=spec.name)
        for spec in network.inputs
    ]
    with quiet("tf2onnx"), tf.device("/CPU:0"):
        proto: onnx.ModelProto = tf2onnx.convert.from_keras(model, input_signature=signature, opset=OPSET)[0]
    return proto


@contextlib.contextmanager
def quiet(name: str) -> Iterator[None]:
    """Silence a library's remarks on its own work, which say nothing to a user; the result is judged all the same."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _named_weights(model: Any) -> dict[str, np.ndarray]:
    """Return every weight in ONNX layout under the name it has in the graph."""
    from tf_keras import layers

    named: dict[str, np.ndarray] = {}
    for layer in model.layers:
        if isinstance(layer, layers.Embedding):
            named[layer.name] = layer.get_weights()[0]
        elif isinstance(layer, layers.Dense):
            named[f"{layer.name}/kernel"], named[f"{layer.name}/bias"] = layer.get_weights()
        elif isinstance(layer, layers.GRU):
            named |= _gru_weights(layer.name, [layer.get_weights()])
        elif isinstance(layer, layers.Bidirectional):
            directions = [layer.forward_layer.get_weights(), layer.backward_layer.get_weights()]
            named |= _gru_weights(layer.name, directions)
    return named


def _gru_weights(name: str, directions: list[list[np.ndarray]]) -> dict[str, np.ndarray]:
    """Stack the directions of a GRU; gates come in the same order (z, r, h) in Keras and in ONNX."""
    return {
        f"{name}/W": np.stack([kernel.T for kernel, _, _ in directions]),
        f"{name}/R": np.stack([recurrent.T for _, recurrent, _ in directions]),
        f"{name}/B": np.stack([bias.reshape(-1) for _, _, bias in directions]),
    }


def _name_weights(network: NetworkSpec, proto: onnx.ModelProto, named: Mapping[str, np.ndarray]) -> None:
    """Rename the initializers, one for each weight; fail if a weight is not in the graph."""
    graph = proto.graph
    by_content = {_content(array): name for name, array in named.items()}
    renamed: dict[str, str] = {}
    initializers: dict[str, onnx.TensorProto] = {}
    for initializer in graph.initializer:
        name = by_content.get(_content(numpy_helper.to_array(initializer)), initializer.name)
        renamed[initializer.name] = name
        initializer.name = name
        initializers.setdefault(name, initializer)
    missing = sorted(named.keys() - initializers.keys())
    if missing:
        raise ConversionError(f"{network.name}: tf2onnx did not keep these weights as they are: {', '.join(missing)}")
    _replace(graph.initializer, list(initializers.values()))
    for node in graph.node:
        for index, name in enumerate(node.input):
            node.input[index] = renamed.get(name, name)


def _content(array: np.ndarray) -> tuple[tuple[int, ...], bytes]:
    """Return a key for an array; a bias added to a matrix may have gained or lost axes of length 1."""
    return tuple(size for size in array.shape if size != 1), np.ascontiguousarray(array).tobytes()


def _drop_zero_states(proto: onnx.ModelProto) -> None:
    """Take out the zero start states that Keras computes from the batch size; zeros are what ONNX starts from."""
    graph = proto.graph
    for node in graph.node:
        if node.op_type == "GRU" and len(node.input) > _INITIAL_STATE:
            del node.input[_INITIAL_STATE - 1 :]  # with it goes the empty `sequence_lens` before it
    wanted = {output.name for output in graph.output}
    kept = []
    for node in reversed(graph.node):  # nodes are sorted: consumers come after producers
        if wanted.intersection(node.output):
            kept.append(node)
            wanted.update(node.input)
    initializers = [initializer for initializer in graph.initializer if initializer.name in wanted]
    _replace(graph.node, kept[::-1])
    _replace(graph.initializer, initializers)


def fill(template: onnx.ModelProto, model: Any, *, float16: bool = False) -> onnx.ModelProto:
    """Return the graph with the weights that the Keras network holds now.

    With ``float16`` they are stored in half the space and cast in the graph, because the GRU of onnxruntime's CPU
    provider computes in float32 alone.
    """
    named = _named_weights(model)
    proto = onnx.ModelProto()
    proto.CopyFrom(template)
    graph = proto.graph
    casts: dict[str, str] = {}
    for initializer in graph.initializer:
        if initializer.name not in named:
            continue
        array = named[initializer.name].reshape(tuple(initializer.dims))
        if float16:
            casts[initializer.name] = f"{initializer.name}/float32"
            array = array.astype(np.float16)
        initializer.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array), initializer.name))
    for node in graph.node:
        for index, name in enumerate(node.input):
            node.input[index] = casts.get(name, name)
    nodes = [
        onnx.helper.make_node("Cast", [name], [cast], name=cast, to=onnx.TensorProto.FLOAT)
        for name, cast in casts.items()
    ]
    _replace(graph.node, [*nodes, *graph.node])
    return proto


def _number_names(proto: onnx.ModelProto, named: Mapping[str, np.ndarray]) -> None:
    """Name what is left after its kind, so that converting the same weights again gives the same file."""
    graph = proto.graph
    constants = {initializer.name for initializer in graph.initializer} - named.keys()
    (output,) = graph.output
    renamed = {value.name: value.name for value in graph.input} | {output.name: OUTPUT}
    output.name = OUTPUT
    for index, node in enumerate(graph.node):
        node.name = f"{node.op_type}_{index}"
        for place, name in enumerate(node.input):
            if name in constants:
                renamed.setdefault(name, f"constant_{len(constants.intersection(renamed))}")
            node.input[place] = renamed.get(name, name)
        for place, name in enumerate(node.output):
            if name:
                node.output[place] = renamed.setdefault(name, f"{node.name}:{place}")
    initializers = sorted(graph.initializer, key=lambda initializer: renamed.get(initializer.name, initializer.name))
    for initializer in initializers:
        initializer.name = renamed.get(initializer.name, initializer.name)
    _replace(graph.initializer, initializers)


def _replace(field: Any, items: list[Any]) -> None:
    """Give a repeated protobuf field a new content."""
    copies = [type(item)() for item in items]
    for copy, item in zip(copies, items, strict=True):
        copy.CopyFrom(item)
    del field[:]
    field.extend(copies)


def _name_batch(proto: onnx.ModelProto) -> None:
    for value in (*proto.graph.input, *proto.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "batch"
    # Shapes tf2onnx inferred speak of names that are gone; onnxruntime infers its own.
    del proto.graph.value_info[:]
    proto.producer_name = "vnlp-colab"
    proto.producer_version = ""
    proto.doc_string = proto.graph.doc_string = ""


def _check(network: NetworkSpec, proto: onnx.ModelProto) -> None:
    """See to it that the graph is valid and holds no control flow, which would run on the CPU, one word at a time."""
    found = sorted(_CONTROL_FLOW.intersection(node.op_type for node in proto.graph.node))
    if found:
        raise ConversionError(
            f"{network.name}: the graph holds {', '.join(found)} where each GRU should be one GRU node; "
            "this version of tf2onnx does not recognise the Keras GRU"
        )
    try:
        onnx.checker.check_model(proto, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise ConversionError(f"{network.name}: the converted graph is not valid ONNX: {error}") from error
