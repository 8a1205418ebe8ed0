"""The paired sample of a sample, and the original, paired and merged sets of paper R.

The paired sample keeps the sentence and exchanges the two entity markers, so its label is the inverse one
(Lyu et al. 2021, section III). `write_pairs` writes the sets in the layout of the authors' files; from the
official SemEval files the six files come out byte-identical to the published ones.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

from ..core import atomic_path, file_sha256, inverse_label, label_ids, progress, role_words, unknown_name
from .catalogue import datasets, read_corpus
from .files import registered_files
from .samples import RDR_MARKERS, Markers, ParsedSample, RelationSample, TypedSample, parse_tagged, render

# Words that the cleaning leaves alone and that stand in no corpus; they hold the markers' places meanwhile.
_PLACEHOLDERS: Markers = (" headopening ", " headclosing ", " tailopening ", " tailclosing ")
_TIGHT_PLACEHOLDERS: Markers = ("headopening ", " headclosing", "tailopening ", " tailclosing")
_NOT_KEPT = re.compile(r"[^a-z0-9^,!./'+-=]")  # '+-=' is a range: + , - . / 0-9 : ; < =

_CONTRACTIONS = {
    "what's": "what is ",
    "that's": "that is ",
    "there's": "there is ",
    "it's": "it is ",
    "'s": " ",
    "'ve": " have ",
    "can't": "can not ",
    "n't": " not ",
    "i'm": "i am ",
    "'re": " are ",
    "'d": " would ",
    "'ll": " will ",
}
_PUNCTUATION = dict.fromkeys(",./'", " ") | {mark: f" {mark} " for mark in "!^+-="}
_ABBREVIATIONS = {":": " : ", " e g ": " eg ", " u s ": " american ", " 9 11 ": "911", "e - mail": "email"}


class PairFile(NamedTuple):
    """A file that `write_pairs` wrote; `published_sha256` is that of the published file, or None."""

    path: Path
    rows: int
    sha256: str
    published_sha256: str | None

    def __str__(self) -> str:
        same = {None: "", self.sha256: ", equals the published file"}
        verdict = same.get(self.published_sha256, ", DIFFERS from the published file")
        return f"{self.path}: {self.rows} lines{verdict}"


def _clean_text(text: str) -> str:
    """The text cleaning that turns the official SemEval sentences into those of paper R's files.

    Lower case; every character but a–z, 0–9 and ``^ , ! . / ' + - : ; < =`` becomes a blank; contractions are
    expanded; punctuation is dropped or set apart; a few abbreviations are rewritten; blanks collapse at the
    very end. All replacements are plain substrings, in this order, without word boundaries.

    >>> _clean_text("It's the U.S. Army's 9.5 mm gun, isn't it?")
    'it is the american army 9 5 mm gun is not it'
    """
    text = _NOT_KEPT.sub(" ", text.lower())
    text = _replace_all(text, _CONTRACTIONS)
    text = _replace_all(text, _PUNCTUATION)
    text = re.sub(r"(\d+)k", r"\g<1>000", text)
    text = _replace_all(text, _ABBREVIATIONS)
    return " ".join(text.split())


def _replace_all(text: str, replacements: Mapping[str, str]) -> str:
    for old, new in replacements.items():
        text = text.replace(old, new)
    return text


def clean_sample(sample: RelationSample) -> RelationSample:
    """The sample with its text cleaned; head and tail still mark the same words (an entity may become empty).

    Raises ValueError for a `ParsedSample`: its words are those of the parser.

    >>> clean_sample(RelationSample("1", "The U.S. Army!", (4, 8), (9, 13), "Other")).text
    'the american army !'
    """
    if isinstance(sample, ParsedSample):
        raise ValueError(f"sample {sample.id} has a dependency tree: its text cannot be cleaned")
    text, head, tail = parse_tagged(_clean_text(render(sample, _PLACEHOLDERS)), _TIGHT_PLACEHOLDERS)
    return replace(sample, text=text, head=head, tail=tail)


def paired_sample(sample: RelationSample, inverse: Mapping[str, str] | None = None) -> RelationSample:
    """The paired sample: same sentence, head and tail exchanged, relation inverted (Other and its like stay).

    `inverse` : relation → its inverse, of relations that are not (e1,e2) ↔ (e2,e1). The types of the entities
    are exchanged too; a dependency tree stays as it is.

    >>> sample = RelationSample("1", "fire caused panic", (0, 4), (12, 17), "Cause-Effect(e1,e2)")
    >>> paired_sample(sample).head_text, paired_sample(sample).relation
    ('panic', 'Cause-Effect(e2,e1)')
    """
    types = {}
    if isinstance(sample, TypedSample):
        types = {"head_type": sample.tail_type, "tail_type": sample.head_type}
    relation = (inverse or {}).get(sample.relation) or inverse_label(sample.relation)
    return replace(sample, head=sample.tail, tail=sample.head, relation=relation, **types)


def paired_sets(
    samples: Iterable[RelationSample], inverse: Mapping[str, str] | None = None
) -> dict[str, list[RelationSample]]:
    """The three sets of paper R: `original`, `paired` (partner by partner) and `merged` (alternating).

    `inverse` : as in `paired_sample`.

    >>> sample = RelationSample("1", "fire caused panic", (0, 4), (12, 17), "Cause-Effect(e1,e2)")
    >>> sets = paired_sets([sample])
    >>> [sample.relation for sample in sets["merged"]]
    ['Cause-Effect(e1,e2)', 'Cause-Effect(e2,e1)']
    """
    original = list(samples)
    paired = [paired_sample(sample, inverse) for sample in original]
    merged = [sample for pair in zip(original, paired, strict=True) for sample in pair]
    return {"original": original, "paired": paired, "merged": merged}


def _rdr_line(index: int, sample: RelationSample, ids: Mapping[str, int]) -> str:
    """One line of an RDR file: index, marked sentence, label id and the two role words, tab-separated.

    >>> sample = RelationSample("1", "fire caused panic", (0, 4), (12, 17), "Cause-Effect(e1,e2)")
    >>> _rdr_line(0, sample, label_ids([sample.relation]))
    '0\\t[E11] fire [E12] caused [E21] panic [E22]\\t9\\tcause\\teffect'
    """
    sentence = " ".join(render(sample, RDR_MARKERS).split())
    return "\t".join((str(index), sentence, str(ids[sample.relation]), *role_words(sample.relation)))


def write_pairs(out_dir: Path | str, dataset: str = "semeval2010") -> list[PairFile]:
    """Build the original, paired and merged set of every split; write them as `SPLIT.KIND.tsv`.

    Parameters
    ----------
    out_dir : made if absent. Files of the same name are replaced. The files appear together at the very end:
        an error or an interruption before that leaves the folder as it was.
    dataset : one with directed relations: `semeval2010` (train, test; the six files equal the published
        ones), `kbp37` (train, dev, test), …

    Returns
    -------
    One `PairFile` a file; for SemEval compare `sha256` with `published_sha256`.

    Raises
    ------
    ValueError : unknown data set.
    MissingData, ChecksumError : a file of the corpus is absent or not the registered one.
    """
    directed = [row.name for row in datasets().values() if row.directed]
    if dataset not in directed:
        raise unknown_name("data set with directed relations", dataset, directed)
    splits = cast(dict[str, list[RelationSample]], read_corpus(dataset))  # directed: no documents
    ids = label_ids(sample.relation for samples in splits.values() for sample in samples)
    rows: dict[Path, int] = {}
    with contextlib.ExitStack() as together:
        for split, originals in splits.items():
            cleaned = map(clean_sample, progress(originals, desc=f"pairing {split}", unit="sample"))
            for kind, samples in paired_sets(cleaned).items():
                path = Path(out_dir, f"{split}.{kind}.tsv")
                draft = together.enter_context(atomic_path(path))
                with draft.open("w", encoding="utf-8", newline="\n") as file:
                    # in a merged file the two partners share their index
                    partners = 2 if kind == "merged" else 1
                    lines = (_rdr_line(number // partners, row, ids) for number, row in enumerate(samples))
                    file.writelines(f"{line}\n" for line in lines)
                rows[path] = len(samples)
    published = {name: file.sha256 for name, file in registered_files().items()}
    return [
        PairFile(path, count, file_sha256(path), published.get(f"{dataset}/rdr/{path.name}"))
        for path, count in rows.items()
    ]
