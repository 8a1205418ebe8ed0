"""One training of distant supervision from end to end: read bags → train → rank all facts → count → save.

A model that was trained on sentences is evaluated by the mean and by the best of a bag's sentences, from the
same training: two runs. A run that is stored with the same configuration is not trained again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core import file_sha256, unknown_name
from ..data import (
    Bag,
    Fingerprint,
    corpus_hashes,
    data_name,
    datasets,
    find_dataset,
    fingerprint,
    locate,
    make_bags,
    read_corpus,
    read_entity_types,
    read_relation_aliases,
    registered_file,
    shared_pairs,
    without_duplicates,
)
from ..metrics import FactRanking, Outcome
from ..models import (
    EMBEDDED,
    NO_ENCODER,
    Model,
    ModelEntry,
    build,
    check_options,
    default_settings,
    model_entry,
)
from ..models.settings import Settings
from ..runs import (
    RUNS_FOLDER,
    ConfusionRows,
    RankedFacts,
    Run,
    different_fields,
    load_run,
    run_path,
    save_run,
    variant_name,
)
from .experiment import SEEDS, option_files, recorded, versions
from .run import CHECKPOINTS, NO_RANDOMNESS, model_environment, remove_checkpoint

SIDE = {
    "types": ("reside/entity_type/gids/type_info.json", read_entity_types),
    "aliases": (
        "reside/relation_alias/gids/relation_alias_from_wikidata_ppdb_extended.json",
        read_relation_aliases,
    ),
}
"""RESIDE's side information for GIDS: option → registered file, reader."""
DECIMALS = 4
"""Of stored scores; the order of the list is kept."""


BAG_PROFILES = ("standard", "paper")


@dataclass(frozen=True)
class BagExperiment:
    """What is trained on which bags, and how.

    Attributes
    ----------
    model : of the registry, one of `unit` 'bag'. dataset : one of kind 'mentions'.
    options : of the model, e.g. training 'bag', aggregator 'att', masked True.
    seed, encoder : as in `Experiment`. profile : 'standard' or 'paper'.
    settings : None takes the profile's: of 'paper' those of the model's own paper for this training, by
        sentences or by bags. What is an option of the model is given beside them (BERT-entity in bags:
        `bag_size` 4).

    Raises ValueError for an unknown name or option.

    >>> one = BagExperiment("pcnn", options={"training": "bag", "aggregator": "att"})
    >>> one.name, one.run_variant
    ('PCNN', 'bag+ATT')
    """

    model: str
    dataset: str = "gids"
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = SEEDS[0]
    encoder: str = EMBEDDED
    profile: str = "standard"
    settings: Settings | None = None
    split = "test"

    def __post_init__(self) -> None:
        if self.entry.unit != "bag":
            raise ValueError(f"model {self.model} takes single sentences; these are of bags")
        known = [one.name for one in datasets().values() if one.kind == "mentions"]
        if self.dataset not in known:
            raise unknown_name("data set of bags", self.dataset, known)
        if self.profile not in BAG_PROFILES:
            raise unknown_name("profile of bags", self.profile, BAG_PROFILES)
        object.__setattr__(self, "options", check_options(self.model, self.options))
        if not self.entry.encoder:
            object.__setattr__(self, "encoder", NO_ENCODER)

    @property
    def entry(self) -> ModelEntry:
        """The model's entry in the registry."""
        return model_entry(self.model)

    @property
    def name(self) -> str:
        """The model as tables write it."""
        return self.entry.full_title(self.options)

    @property
    def dataset_name(self) -> str:
        """The data set in run files."""
        return self.dataset

    @property
    def run_seed(self) -> int | None:
        """The seed in run files: None for a model that draws nothing at random."""
        return self.seed if self.entry.random else None

    @property
    def aggregators(self) -> dict[str, str | None]:
        """Variant of the run → the aggregator of its evaluation (None: the model's own).

        Where no class is negative, each pair has one sentence, and the aggregators are one.

        >>> BagExperiment("cnn").aggregators, BagExperiment("bgwa").aggregators
        ({'sent+AVG': 'avg', 'sent+ONE': 'one'}, {'': None})
        """
        by_sentence = {"sent+AVG": "avg", "sent+ONE": "one"}
        if find_dataset(self.dataset).negative is None:
            by_sentence = {"sent": "avg"}
        if "training" not in self.entry.options or self.model in ("bgwa", "reside", "rl-dsre"):
            found = {"": None}
        elif self.options.get("training", "sentence") == "sentence":
            found = by_sentence
        else:
            aggregator = self.options.get("aggregator", "avg")
            found = {f"bag+{aggregator.upper()}": aggregator}
        changed = self._changes()
        return {"+".join(filter(None, (variant, changed))): one for variant, one in found.items()}

    def _changes(self) -> str:
        """What else differs from the usual, for the variant."""
        known = {"training", "aggregator", *self.entry.suffixes}
        chosen = {name: value for name, value in self.options.items() if name not in known}
        usual: dict[str, Any] = {}
        if self.settings:
            chosen |= asdict(self.settings)
            usual = asdict(default_settings(self.model, self.settings_name, self.encoder))
        return variant_name(chosen, usual)

    @property
    def run_variant(self) -> str:
        """The variant of the run that is written last: when it is there, all are."""
        return list(self.aggregators)[-1]

    @property
    def settings_name(self) -> str:
        """The settings of the profile; a paper's for bags, where it has others for them.

        >>> BagExperiment("cnn", options={"training": "bag"}, profile="paper").settings_name
        'gao2021-bag'
        """
        name = self.entry.settings_name("paper" if self.profile == "paper" else "standard")
        of_bags = f"{name}-bag" if self.options.get("training") == "bag" else name
        return of_bags if of_bags in self.entry.settings else name

    @property
    def side(self) -> dict[str, str]:
        """Option → registered file of side information."""
        wanted = self.model == "reside" and self.dataset == "gids"
        return {name: file for name, (file, _) in SIDE.items()} if wanted else {}

    def recorded(self) -> dict[str, dict[str, Any]]:
        """See `experiment.recorded`; side information by the name of its file."""
        return recorded(self.model, {**self.options, **self.side}, self.resolved())

    def resolved(self) -> Settings | None:
        """The settings that it is trained with; None for a model that has none."""
        if self.settings or not self.entry.settings:
            return self.settings
        return default_settings(self.model, self.settings_name, self.encoder)


@dataclass(frozen=True)
class BagData:
    """Training bags by (head, tail, relation), test bags by (head, tail), the labels, sha256 by file; what
    was counted of each part before duplicates were left out, and how many pairs are in both."""

    train: list[Bag]
    test: list[Bag]
    labels: tuple[str, ...]
    negative: str | None
    files: dict[str, str]
    counted: dict[str, Fingerprint] = field(default_factory=dict)
    shared: int = 0

    def description(self) -> str:
        """What is known of the corpus before anything is scored, one line for each part."""
        lines = [
            f"{part}: {one.sentences} sentences ({one.duplicates} duplicates left out, {one.malformed} "
            f"malformed lines), {one.pairs} pairs, {one.facts} facts, {one.relations} labels"
            for part, one in self.counted.items()
        ]
        return "\n".join([*lines, f"pairs in both parts: {self.shared}"])

    @property
    def gold(self) -> np.ndarray:
        """(B, L) whether a relation holds between the entities of a test bag."""
        places = {label: place for place, label in enumerate(self.labels)}
        gold = np.zeros((len(self.test), len(self.labels)), dtype=bool)
        for row, bag in enumerate(self.test):
            gold[row, [places[relation] for relation in bag.relations]] = True
        return gold


def read_bags(dataset: str) -> BagData:
    """The bags of a data set of mentions; the negative class is the first label, the others by name.

    Of equal mentions of one part the first is kept.

    Raises MissingData, ChecksumError : the data are not here. ValueError : unknown data set.
    """
    splits, row = read_corpus(dataset), find_dataset(dataset)
    relations = {one for mentions in splits.values() for mention in mentions for one in mention.relations}
    negative = row.negative if row.negative in relations else None
    labels = (*([negative] if negative else []), *sorted(relations - {negative}))
    used = {part: splits[part] for part in ("train", "test")}
    train, test = (without_duplicates(mentions) for mentions in used.values())
    return BagData(
        make_bags(train, negative, by_relation=True),
        make_bags(test, negative),
        labels,
        negative,
        corpus_hashes(dataset),
        {part: fingerprint(mentions, negative) for part, mentions in used.items()},
        len(shared_pairs(train, test)),
    )


def run_bag_experiment(
    experiment: BagExperiment,
    folder: Path | str = RUNS_FOLDER,
    overwrite: bool = False,
    progress: bool = True,
) -> list[Run]:
    """Train, rank every fact of the test bags, and store a run for each way of evaluation; returns them.

    With `progress` it is said first, on standard error, what the corpus holds (`BagData.description`).

    Of the first seed the whole list is stored (scores with `DECIMALS`, pairs, relations), of the others the
    ranks of the true facts and the relations. Of data without a negative class the best labels are counted.

    Raises
    ------
    FileExistsError : a stored run has another configuration. MissingData, ChecksumError : the data are not
        here. ValueError : as `BagExperiment`.
    """
    data = read_bags(experiment.dataset)
    model = _model(experiment, data)
    blanks = {name: _configuration(experiment, model, data, name) for name in experiment.aggregators}
    stored = [_stored(blank, folder) for blank in blanks.values()]
    if all(stored) and not overwrite:
        return stored
    if progress:
        print(data.description(), file=sys.stderr)
    checkpoint = CHECKPOINTS / f"{next(iter(blanks.values())).configuration_sha256[:32]}.safetensors"
    history = model.fit(data.train, checkpoint=checkpoint, progress=progress)
    runs = []
    for variant, scores in _all_scores(model, data.test, experiment.aggregators, progress):
        rate = history.examples_per_second
        run = replace(
            blanks[variant],
            table=_counted(data, scores, whole=experiment.seed == SEEDS[0]),
            environment=model_environment(model),
            history=history.record(),
            wall_seconds=round(history.seconds, 1),
            sentences_per_second=None if rate is None else round(rate, 1),
        )
        save_run(run, folder, overwrite=True)
        runs.append(run)
    remove_checkpoint(checkpoint)
    return runs


def _all_scores(
    model: Any, bags: Sequence[Bag], aggregators: Mapping[str, str | None], progress: bool
) -> Iterator[tuple[str, np.ndarray]]:
    """The scores of each variant; where an aggregator is named, sentences are encoded once for all."""
    if None in aggregators.values():
        yield from ((variant, model.scores(bags, progress=progress)) for variant in aggregators)
        return
    vectors = model.sentence_vectors(bags, progress)
    yield from ((variant, model.aggregated(vectors, one)) for variant, one in aggregators.items())


def _model(experiment: BagExperiment, data: BagData) -> Model:
    """The untrained model."""
    options = dict(experiment.options)
    options |= {name: SIDE[name][1](locate(file)) for name, file in experiment.side.items()}
    return build(
        experiment.model,
        EMBEDDED if experiment.encoder == NO_ENCODER else experiment.encoder,
        data.labels,
        experiment.resolved(),
        experiment.seed,
        **options,
    )


def _configuration(experiment: BagExperiment, model: Model, data: BagData, variant: str) -> Run:
    """The run before anything is trained."""
    settings, known = experiment.resolved(), experiment.recorded()
    hyperparameters = known["hyperparameters"] | {"training_bags": len(data.train), "evaluation": variant}
    hyperparameters |= {"precision": model.precision} if settings else {}
    files = {file: registered_file(file).sha256 for file in experiment.side.values()}
    files |= {data_name(one): file_sha256(one) for one in option_files(experiment.options)}
    return Run(
        dataset=experiment.dataset,
        files=data.files | files,
        model=experiment.name,
        variant=variant,
        encoder=model.encoder_name,
        encoder_sha256=model.encoder_sha256,
        seed=experiment.run_seed,
        profile=experiment.profile,
        hyperparameters=hyperparameters,
        options=known["options"],
        versions=versions(experiment.model, experiment.options, experiment.dataset),
        labels=data.labels,
        negative=data.negative,
        source="" if experiment.entry.random else NO_RANDOMNESS,
        table=RankedFacts(level="bag", facts=0, length=0, hit_ranks=())
        if data.negative
        else ConfusionRows(rows=()),
    )


def _stored(blank: Run, folder: Path | str) -> Run | None:
    """The stored run of this configuration; FileExistsError for another one at its place."""
    path = run_path(blank, folder)
    if not path.exists():
        return None
    stored = load_run(path)
    if different_fields(stored, blank):
        save_run(blank, folder)  # raises, and says what differs
    return stored


def _counted(data: BagData, scores: np.ndarray, whole: bool) -> RankedFacts | ConfusionRows:
    """The list of all facts that a matrix of scores ranks; by matrix position where scores are equal.

    Where no class is negative every pair has one relation, and the best label of each is counted.
    """
    if data.negative is None:
        names = np.array(data.labels)
        gold, predicted = names[data.gold.argmax(axis=1)], names[scores.argmax(axis=1)]
        return ConfusionRows(rows=Outcome.from_columns(gold, predicted, labels=data.labels).to_rows())
    ranking = FactRanking.from_matrix(scores, data.gold, data.labels, data.negative)
    if not whole:
        return RankedFacts.from_ranking(replace(ranking, scores=None), "bag", data.labels)
    kept = [place for place, label in enumerate(data.labels) if label != data.negative]
    order = np.argsort(-scores[:, kept].ravel(), kind="stable")
    return RankedFacts.from_ranking(ranking, "bag", data.labels, (order // len(kept)).tolist(), DECIMALS)


_MARKED = {"markers": True}


def gids_experiments(seeds: Sequence[int] = SEEDS[:3]) -> list[BagExperiment]:
    """Every encoder, training and aggregator on GIDS, the recurrent models, RL-DSRE, two reference points.

    >>> len(gids_experiments([9])), gids_experiments()[0].name
    (22, 'majority-bag')
    """
    ways = [{"training": "sentence"}]
    ways += [{"training": "bag", "aggregator": one} for one in ("avg", "one", "att")]
    encoders = [("cnn", {}), ("pcnn", {}), ("bert-entity", {}), ("bert-entity", {"masked": True})]
    fixed = [
        BagExperiment("majority-bag"),
        BagExperiment("tfidf-bag"),
        BagExperiment("tfidf-bag", options=_MARKED),
    ]
    listed = [(model, options | way) for model, options in encoders for way in ways]
    listed += [(model, {}) for model in ("bgwa", "reside", "rl-dsre")]
    return fixed + [BagExperiment(model, options=one, seed=seed) for seed in seeds for model, one in listed]


WIKI80_EPOCHS = (2, 5)
"""The standard number, and more, as Wiki80's training part has 49 sentences a relation; none is chosen."""


def wiki80_experiments(seeds: Sequence[int] = SEEDS[:3]) -> list[BagExperiment]:
    """BERT-entity on the sentences of Wiki80, with each number of epochs.

    >>> [one.run_variant for one in wiki80_experiments([9])]
    ['sent', 'sent+epochs-5']
    """
    usual = default_settings("bert-entity")
    tried = [None if n == usual.epochs else usual.changed({"epochs": n}) for n in WIKI80_EPOCHS]
    return [
        BagExperiment("bert-entity", "wiki80", seed=seed, settings=one) for seed in seeds for one in tried
    ]
