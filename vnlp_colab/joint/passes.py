"""One pass of the network over a batch of windows, and long sentences put together from several of them.

A sentence longer than the network was trained on is read in windows that overlap by half. What is said of a word is
what the window says in which it stands furthest from the edges; that is also where its arcs are from, so a word's head
is at most a window away. From these arcs one tree is searched over the whole sentence: every window has a word that
would be the root, and the search with one root gives all of these but one the head that costs least. Sentences of
several hundred words are searched in parts of at most `TREE_WORDS`, whose roots are joined as the other models join
their segments (`vnlp_colab.trees.segments`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vnlp_colab.annotator.answers import Parsed
from vnlp_colab.joint.answers import Said
from vnlp_colab.joint.graph import LIKELY, SCORES
from vnlp_colab.joint.trees import NO_ARC, best_two, expected_tree, finite, heads_of, masked, weigh_relations
from vnlp_colab.trees.segments import ROOT, join_segments

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from vnlp_colab.joint.windows import Window

TREE_WORDS = 1024
_HOST = ("cpu", 0)
# Outputs that only the choices read.
_STAY = ("up", "down", "means")
_PER_WORD = ("upos", "entity", "feats", f"feats{SCORES}", "lemma", f"lemma{SCORES}", "states")


class Passes:
    """The sessions of the sentences and of the choices, run on windows.

    What only the choices read stays on the device. Safe to use from several threads.

    Parameters
    ----------
    sentences, choices
        The sessions.
    style, entity_style
        The numbers of the styles asked for.
    relations
        The names of the relations.
    place
        The kind of device the sessions run on, and its number.
    spoken
        Say of whole sentences also how likely each relation to the chosen heads is, so that others can speak, too.
    """

    def __init__(
        self,
        sentences: Any,
        choices: Any,
        style: int,
        entity_style: int,
        relations: Sequence[str],
        place: tuple[str, int] = _HOST,
        *,
        spoken: bool = False,
    ) -> None:
        import onnxruntime as ort

        self._sentences = sentences
        self._choices = choices
        self._style = style
        self._entity_style = entity_style
        self._names = list(relations)
        self._numbers = {name: number for number, name in enumerate(relations)}
        # what was not asked for need not be worked out (a wish: onnxruntime 1.31 works it out all the same)
        self._options = ort.RunOptions()
        self._options.only_execute_path_to_fetches = True
        self._nothing = _no_choices(choices)
        self._place = place
        self._spoken = spoken
        # Binding takes 80 to 200 microseconds a run: worth it where it saves a way to a GPU and back.
        self._binds = place != _HOST

    def placed(self, table: np.ndarray) -> Any:
        """Return a table of vectors where the network runs: what many runs read travels once."""
        if not self._binds:
            return table
        from onnxruntime import OrtValue

        return OrtValue.ortvalue_from_numpy(table, *self._place)

    def whole(
        self, table: Any, rows: np.ndarray, starts: np.ndarray, lengths: np.ndarray, fetches: Collection[str]
    ) -> Said:
        """Return what the network says of sentences that are one window each.

        Parameters
        ----------
        table
            The vectors of words (`placed`).
        rows
            The rows of words in it; a sentence is some that stand one after the other.
        starts, lengths
            Where each sentence starts, and how many words it has.
        fetches
            The outputs that are wanted.
        """
        outputs = self._run(table, rows, starts, lengths, fetches, _STAY)
        real = np.arange(int(lengths.max())) < lengths[:, None]
        there = np.flatnonzero(real)
        words = {name: _array(outputs[name]) for name in _PER_WORD if name in outputs}
        said = Said({name: values.reshape(-1, values.shape[-1])[there] for name, values in words.items()})
        if "arcs" not in outputs:
            said.sentiments = self._choose(means=outputs.get("means")).get("sentiments")
            return said
        arcs = masked(_array(outputs["arcs"]), lengths)
        two, found = self._weighed(arcs, outputs["up"], outputs["down"], means=outputs.get("means"))
        said.sentiments = found.get("sentiments")
        heads = heads_of(arcs, lengths)
        if self._spoken:
            chosen = self._choose(heads[..., None], outputs["up"], outputs["down"], names=("relations", LIKELY))
            relations, likely = chosen["relations"][..., 0], chosen[LIKELY]
            said.words[LIKELY] = likely.reshape(-1, likely.shape[-1])[there]
        else:
            relations = np.where(heads == two[..., 0], found["relations"][..., 0], found["relations"][..., 1])
            third = (heads[..., None] != two).all(axis=2) & real & (heads != 0)  # the root's relation is known
            if third.any():
                self._fill(relations, heads, third, outputs["up"], outputs["down"])
        said.words["heads"] = heads.ravel()[there]
        said.words["relations"] = relations.ravel()[there]
        return said

    def parts(
        self, table: Any, rows: np.ndarray, starts: np.ndarray, lengths: np.ndarray, fetches: Collection[str]
    ) -> list[dict[str, np.ndarray]]:
        """Return what the network says of each window of long sentences, for `joined`; inputs as for `whole`."""
        found = self._run(table, rows, starts, lengths, fetches, ())
        outputs = {name: _array(value) for name, value in found.items()}
        if "arcs" in outputs:
            outputs["arcs"] = masked(outputs["arcs"], lengths)
            self._weighed(outputs["arcs"], outputs["up"], outputs["down"])
        return [{name: values[at] for name, values in outputs.items()} for at in range(len(lengths))]

    def joined(self, tokens: Sequence[str], windows: Sequence[Window], parts: Sequence[dict[str, np.ndarray]]) -> Said:
        """Return what the windows of one long sentence say of it together."""
        said = Said({})
        for name in _PER_WORD:
            if name in parts[0]:
                said.words[name] = np.concatenate(
                    [
                        part[name][window.own_start - window.start : window.own_end - window.start]
                        for window, part in zip(windows, parts, strict=True)
                    ]
                )
        if "arcs" in parts[0]:
            said.words["heads"], said.words["relations"] = self._long_tree(tokens, windows, parts)
        if "means" in parts[0]:
            sizes = np.array([len(window) for window in windows], np.float32)
            means = np.stack([part["means"] for part in parts])
            said.sentiments = self._choose(means=(sizes @ means / sizes.sum())[None])["sentiments"]
        return said

    def _weighed(
        self, arcs: np.ndarray, up: Any, down: Any, *, means: Any = None
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Add to the scores of the two best heads of each word how likely a relation is; return those and `_choose`."""
        two = best_two(arcs)
        found = self._choose(two, up, down, means=means)
        weigh_relations(arcs, two, found["certainties"])
        return two, found

    def _fill(self, relations: np.ndarray, heads: np.ndarray, where: np.ndarray, up: Any, down: Any) -> None:
        """Put the relations to heads that only a tree asked for in their places."""
        rows = np.arange(len(heads))
        if not self._binds:
            rows = np.flatnonzero(where.any(axis=1))
            up, down = up[rows], down[rows]
        chosen = self._choose(heads[rows, :, None], up, down)["relations"][..., 0]
        relations[rows] = np.where(where[rows], chosen, relations[rows])

    def _run(
        self,
        table: Any,
        rows: np.ndarray,
        starts: np.ndarray,
        lengths: np.ndarray,
        fetches: Collection[str],
        stay: Collection[str],
    ) -> dict[str, Any]:
        steps = np.arange(int(lengths.max()))
        # pads read their sentence's first word, which changes nothing
        places = rows[starts[:, None] + np.where(steps < lengths[:, None], steps, 0)]
        feeds = {
            "vectors": table,
            "places": places,
            "lengths": lengths.astype(np.int32),
            "styles": np.full((len(lengths), 1), self._style, np.int64),
            "entity_styles": np.full((len(lengths), 1), self._entity_style, np.int64),
        }
        return self._outputs(self._sentences, feeds, fetches, stay)

    def _outputs(
        self, session: Any, feeds: Mapping[str, Any], fetches: Collection[str], stay: Collection[str] = ()
    ) -> dict[str, Any]:
        """Run a session; what is in `stay` stays on its device, all else comes back."""
        if not self._binds:
            names = list(fetches)
            return dict(zip(names, session.run(names, feeds, self._options), strict=True))
        binding = session.io_binding()
        for name, value in feeds.items():
            bind = binding.bind_cpu_input if isinstance(value, np.ndarray) else binding.bind_ortvalue_input
            bind(name, value)
        for name in fetches:
            binding.bind_output(name, *(self._place if name in stay else _HOST))
        session.run_with_iobinding(binding, self._options)
        return dict(zip(fetches, binding.get_outputs(), strict=True))

    def _choose(
        self,
        heads: np.ndarray | None = None,
        up: Any = None,
        down: Any = None,
        *,
        means: Any = None,
        names: Sequence[str] = ("relations", "certainties"),
    ) -> dict[str, np.ndarray]:
        """Return what `names` says of the relations of words to `heads`, and sentiments of texts, where given."""
        feeds, fetches = dict(self._nothing), list[str]()
        if heads is not None:
            feeds |= {"up": up, "down": down, "heads": heads}
            fetches += names
        if means is not None:
            feeds["means"] = means
            fetches.append("sentiments")
        found = self._outputs(self._choices, feeds, fetches) if fetches else {}
        return {name: _array(values) for name, values in found.items()}

    def _long_tree(
        self, tokens: Sequence[str], windows: Sequence[Window], parts: Sequence[dict[str, np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return heads and relations of a long sentence; see the module."""
        groups: list[list[int]] = [[]]
        for number, window in enumerate(windows):
            first = windows[groups[-1][0]] if groups[-1] else window
            if window.own_end - first.own_start > TREE_WORDS and groups[-1]:
                groups.append([])
            groups[-1].append(number)
        segments, trees = [], []
        for group in groups:
            start, end = windows[group[0]].own_start, windows[group[-1]].own_end
            heads = self._group_heads([windows[n] for n in group], [parts[n] for n in group], start, end)
            relations = np.concatenate([self._window_relations(windows[n], parts[n], heads, start) for n in group])
            segments.append(slice(start, end))
            names = [self._names[number] for number in relations.tolist()]
            names[int((heads == 0).argmax())] = ROOT
            trees.append(Parsed(heads.tolist(), names))
        tree = join_segments(tokens, segments, trees)
        unknown = self._numbers[ROOT]  # a network that knows no parataxis
        return np.array(tree.heads), np.array([self._numbers.get(name, unknown) for name in tree.relations])

    def _group_heads(
        self, windows: Sequence[Window], parts: Sequence[dict[str, np.ndarray]], start: int, end: int
    ) -> np.ndarray:
        """Return the heads, from 1, of the words `start` to `end`, which these windows own."""
        scores = np.full((end - start, end - start + 1), NO_ARC, np.float32)
        for window, part in zip(windows, parts, strict=True):
            own = slice(window.own_start - window.start, window.own_end - window.start)
            arcs = part["arcs"][own]
            into = scores[window.own_start - start : window.own_end - start]
            into[:, 0] = arcs[:, 0]
            first, last = max(window.start, start), min(window.end, end)
            into[:, first - start + 1 : last - start + 1] = arcs[:, first - window.start + 1 : last - window.start + 1]
        return np.array(expected_tree(finite(scores)))

    def _window_relations(
        self, window: Window, part: dict[str, np.ndarray], heads: np.ndarray, start: int
    ) -> np.ndarray:
        """Return the relations of the words a window owns to their heads, which it has read, too."""
        own = slice(window.own_start - window.start, window.own_end - window.start)
        absolute = heads[window.own_start - start : window.own_end - start]
        local = np.where(absolute == 0, 0, absolute + start - window.start)
        local = np.where((local < 0) | (local > len(window)), 0, local)  # only where no arc was left but a far one
        return self._choose(local[None, :, None], part["up"][None], part["down"][None, own])["relations"][0, :, 0]


def _array(value: Any) -> np.ndarray:
    """Return an output as an array that may be changed."""
    found: np.ndarray = value if isinstance(value, np.ndarray) else value.numpy()
    return found if found.flags.writeable else found.copy()


def _no_choices(choices: Any) -> dict[str, np.ndarray]:
    """Return inputs of the graph of the choices that leave nothing to choose."""
    made = {}
    for value in choices.get_inputs():
        sizes = [1 if isinstance(size, str) else size for size in value.shape[1:]]
        made[value.name] = np.zeros([0, *sizes], np.int64 if value.name == "heads" else np.float32)
    return made
