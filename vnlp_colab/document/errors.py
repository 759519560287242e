"""What documents tell a person."""

from __future__ import annotations

from vnlp_colab.columns import COLUMNS
from vnlp_colab.errors import VNLPError


class NotLoadedError(VNLPError):
    """Someone asked a document, a sentence or a token for what no loaded model fills."""

    def __init__(self, name: str) -> None:
        column = COLUMNS.get(name)
        tasks = column.tasks if column is not None else ()
        if column is not None and column.optional and name != "entities":
            todo = f"ask for it with VNLPipeline(columns=[{name!r}])"
        else:
            todo = (
                f"add {' or '.join(map(repr, tasks))} to models_to_load" if tasks else "it is no column of this package"
            )
        super().__init__(f"there is no {name!r} here: the model for it was not loaded; {todo}")
        self.name = name

    def __reduce__(self) -> tuple[type[NotLoadedError], tuple[str]]:
        return type(self), (self.name,)


class DocumentDataError(VNLPError):
    """`Document.from_dict` was given something that is no document."""
