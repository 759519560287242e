"""Where a model comes from: a folder the user names, the package, the cache, a remote store, in this order.

Environment variables: VNLP_COLAB_MODELS (folder looked at first), VNLP_COLAB_CACHE (folder of converted and downloaded
models), VNLP_COLAB_MODEL_URL (remote store; there is no default), VNLP_COLAB_OFFLINE=1 (never use the network),
VNLP_COLAB_TIMEOUT (seconds of silence after which a server is given up).
"""

from vnlp_colab.resources.download import OfflineError, cache_dir, download_resource
from vnlp_colab.resources.finding import ModelFiles, find_model
from vnlp_colab.resources.listing import ModelRow, list_models
from vnlp_colab.resources.manifest import DamagedFileError, ResourceError
from vnlp_colab.resources.places import EMBEDDED_FOLDER

__all__ = [
    "EMBEDDED_FOLDER",
    "DamagedFileError",
    "ModelFiles",
    "ModelRow",
    "OfflineError",
    "ResourceError",
    "cache_dir",
    "download_resource",
    "find_model",
    "list_models",
]
