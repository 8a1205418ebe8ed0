"""Commands that train: relation classifiers, linear classifiers of documents, the standard set of runs."""

from __future__ import annotations

import contextlib
import sys
import tomllib
from typing import Any

import click

from .. import PACKAGE, ROOT
from . import app
from .base import FILE, KS, SEEDS, bootstrap, flag, forms, option, put

SCRATCH = ROOT / "scratch" / "runs"
MODELS = tomllib.loads((PACKAGE / "models" / "models.toml").read_text("utf-8"))["models"]
"""The names for the help, which every command loads: the package `models` itself takes as long as numpy."""


def _value(text: str) -> Any:
    """A word of the command line as Python value: none, true, false, a number, or text."""
    words = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float) if text.isascii() and "_" not in text else ():  # Python takes 1_000, and ３
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


# text is converted where it is known what it has to be
TEXTS: dict[str, Any] = {"kind": (str, str), "multiple": True}
VALUES: dict[str, Any] = {"kind": (str, _value), "multiple": True}
DATASET = "semeval2010 (default), kbp37, chemprot, re_docred, demo …; with --train, the name of your data."
TEXT = "clean, official, parsed, spacy (default: what model and data set need)."
ENCODER = "Hugging Face name or folder (default: the embedded one)."


@app.command("train")
@option("--model", "M", f"{', '.join(MODELS)}.", required=True)
@option("--dataset", "D", DATASET)
@option("--train", "FILE", "Your training data: .json, .jsonl, .csv, .tsv, .txt; see below.", FILE)
@option("--test", "FILE", "Your test data.", FILE)
@option("--relations", "FILE", "All relations, one a line or JSON (default: those that occur).", FILE)
@option("--inverse", "FILE", "Inverses of relations, if not (e1,e2) and (e2,e1), as in `score`.", FILE)
@option("--negative", "L", "The negative class of your data (else recognised by its name).")
@flag("--merged", "Train on every sentence and on its paired one.")
@option("--part", "P", "full (default), or ptr: the 6507 sentences of PTR's authors.", default="full")
@option("--text", "T", TEXT, default="")
@option("--seed", "S", "Default 9.", click.IntRange(0, SEEDS), default=9)
@option("--encoder", "E", ENCODER, default="all-MiniLM-L6-v2")
@option("--profile", "P", "quick (default), standard, base, paper.", default="quick")
@option("--settings", "S", "standard, lyu2021, harbecke2022, wu2019, gao2021, zhang2018, or paper: its own.")
@option("--set changes", "NAME VALUE", "One training setting; repeatable.", **TEXTS)
@option("--option options", "NAME VALUE", "One setting of the model; repeatable.", **TEXTS)
@option("--sentences", "N", "Only that many training sentences.", click.IntRange(1, SEEDS))
@flag("--holdout", "Test on a tenth of the training data, not on the test set: to choose settings.")
@option("--variant", "NAME", "In the run's path (default: what differs from the usual settings).", default="")
@option("--output out", "DIR", "Where the run file goes (default results/runs or scratch/runs).")
@option("--predictions", "CSV", "Also write the predictions: id, gold, predicted, paired.")
@option("--weights", "FILE", "Also write the trained weights (safetensors).")
@option("--every-epoch epochs", "DIR", "Also store the outcome after each epoch, in DIR, as variant epoch-N.")
@flag("--overwrite", "Replace a stored run of another configuration.")
def _train(settings: str | None, changes: tuple, options: tuple, out: str | None, **chosen: Any) -> None:
    """Train a relation classifier and store its outcome on both test sets.

    Your own data: --train and --test name a file each. CSV, TSV and JSON lines have the columns text and
    relation, with the entities marked in the text, <e1>fire</e1> … <e2>panic</e2>, or with e1_start, e1_end,
    e2_start, e2_end (characters from 0, ends exclusive). JSON is TACRED's form or OpenNRE's, .txt that of
    SemEval-2010. Relations are directed if they end in (e1,e2) and (e2,e1), or if --inverse says so.

    Trains on the training data, tests on the test set and on its paired set (entity markers exchanged),
    writes a run file: the counts of gold × predicted × predicted on the paired sentence, and every setting.
    Interrupted training goes on from its checkpoint; a run that is stored already is not trained again.

    Runs of profile quick (2000 training sentences) go to scratch/runs, those of the others (all of them) to
    results/runs. Profile base has the encoder mpnet-base (`data fetch mpnet-base`) and settings lyu2021.
    --settings standard are those found for the embedded encoder, the others those of a
    paper (results/published/settings.csv says where it states them; profile paper takes the model's own).
    They are settings of training: on SemEval, harbecke2022's em-es also has --option layer_norm true and
    --text official.
    --set changes single ones: learning_rate, epochs, batch_size, optimizer, weight_decay, schedule,
    warmup, clip, accumulate, dropout, max_length, marker_vectors, precision. --option sets what belongs to a
    model: marker_scheme (em-c, em-es: added, pieces, symbols), layer_norm (em-es), form (r-bert: paper,
    port), candidates (emr-c: all, directed), negatives (emr-c: fixed, resampled), layers (the
    first so many of the encoder's), markers (svm, tfidf-bag).

    Models of bags of sentences (cnn, pcnn, bert-entity, bgwa, reside, rl-dsre, tfidf-bag) take each sentence
    as a bag of one: --option masked true hides the entities' words, vectors FILE gives word vectors as GloVe
    has them; filters, hidden, word_size, position_size, dropout.

    Models of dependency trees (gcn, c-gcn; data sets with trees, and --text spacy after `data parse NAME`,
    which gives part-of-speech and entity tags, too): --option distance 1 (0, 1, 2, inf, -1:
    what of the tree is read), pooling max (avg, sum), vectors encoder (scratch, or a file), tuned, masked,
    layers, hidden, states, word_size, tag_size, mlp_layers, penalty, input_dropout, dropout, word_dropout.

    Reference points without encoder, settings and seed: svm, TF-IDF with a linear SVM (--option markers true
    shows it the entities), and majority, the most frequent relation.

    examples:
      python -m helpers train --model em-c --dataset demo
      python -m helpers train --model em-es --train mine.csv --test test.csv --profile standard
      python -m helpers train --model em-es --merged --dataset semeval2010 --profile standard --seed 148
      python -m helpers train --model r-bert --encoder bert-large-uncased --profile paper --predictions a.csv
      accelerate launch -m helpers train --model ptr --profile paper --encoder roberta-large   (several GPUs)
    """
    from ..experiments import Experiment, run_experiment
    from ..models import is_first_process
    from ..runs import RUNS_FOLDER, run_path

    _take_own_files(chosen)
    written = {name: chosen.pop(name) for name in ("predictions", "weights", "epochs", "overwrite")}
    usual = Experiment(**chosen, options=dict(options)).with_settings(settings, {})
    experiment = usual.with_settings(settings, dict(changes))
    if "optimizer" in dict(changes) and "learning_rate" not in dict(changes):
        _check_rate(usual.resolved(), experiment.resolved())
    folder = out or (SCRATCH if experiment.profile == "quick" else RUNS_FOLDER)
    run = run_experiment(experiment, folder, **written)
    if is_first_process():
        put(_described(run, run_path(run, folder)))


def _check_rate(usual: Any, changed: Any) -> None:
    """A rate for Adam makes no step worth the name with SGD, and one for SGD tears the weights with Adam."""
    if usual.optimizer != changed.optimizer and "sgd" in {usual.optimizer, changed.optimizer}:
        raise ValueError(
            f"--set optimizer {changed.optimizer} needs --set learning_rate, too:"
            f" {usual.learning_rate:g} is a rate for {usual.optimizer}"
        )


def _take_own_files(chosen: dict[str, Any]) -> None:
    """Register the files of --train and --test as the data set; `chosen` keeps what an experiment takes."""
    files = {name: chosen.pop(name) for name in ("train", "test")}
    about = {name: chosen.pop(name) for name in ("relations", "inverse", "negative")}
    if all(files.values()):
        from ..data import register_files

        chosen["dataset"] = register_files(chosen["dataset"] or "own", **files, **about).name
        return
    if given := [name for name, value in (files | about).items() if value]:
        raise ValueError(f"--{given[0]} is of use with --train FILE and --test FILE, both, only")
    chosen["dataset"] = chosen["dataset"] or "semeval2010"


def _described(run: Any, path: object) -> str:
    """The run in a few lines: what, where, how fast, and its scores in per cent."""
    from ..metrics import percent
    from ..reporting import majority_text

    seed = "no seed" if run.seed is None else f"seed {run.seed}"
    precision = f", {run.environment['precision']}" if "precision" in run.environment else ""
    bags = run.hyperparameters.get("training_bags")
    read = f"{bags} bags" if bags else f"{run.hyperparameters['training_samples']} sentences"
    lines = [
        f"{run.model} · {run.encoder} · {run.dataset} {run.split} · {seed} · profile {run.profile}",
        f"trained on {read} in {run.wall_seconds} s ({run.sentences_per_second} a second{precision})",
    ]
    for title, scores in _scores(run).items():
        lines += ["", title, "  ".join(f"{name} {percent(value)}" for name, value in scores.items())]
    lines += [majority_text(run)] if run.kind != "facts" else []
    return "\n".join([*lines, "", f"run file: {path}"])


def _scores(run: Any) -> dict[str, dict[str, float]]:
    """Title → scores, fractions."""
    from ..reporting import paired_scores, scheme_scores

    if run.kind == "facts":
        scores = run.outcome().ranking(run.labels, run.negative).measures()
        wanted = {"area under the curve": "auc", "best F1": "micro_f1", "P@100": "P@100"}
        title = "Held-out evaluation of the ranked facts (Gao et al. 2021)"
        return {title: {shown: scores[name] for shown, name in wanted.items() if name in scores}}
    by_scheme = {"F1 on the test set under each weighting scheme (Harbecke et al. 2022)": scheme_scores(run)}
    if run.kind != "paired":
        return by_scheme
    title = "A, B: official macro-F1 (relations) on test and paired set; PD, PIR, PPR: Lyu et al. 2021 (%)"
    direction = zip(("A", "B", "PD", "PIR", "PPR"), paired_scores(run).values(), strict=True)
    return {title: dict(direction)} | by_scheme


# options of `linear` that a model which is trained already does not take
TRAINING = {"technique", "options", "parameters", "tfidf", "label_file", "include_test_labels"}
TRAINING |= {"remove_unlabelled"}


@app.command("linear")
@option("--train", "F", "Documents to train on: .txt, .tsv, .svm, .libsvm, also .gz.", FILE)
@option("--test", "F", "Documents to predict, and to score if any has labels.", FILE)
@option("--technique", "T", "Default 1vsrest.", default="1vsrest")
@option("--options", "O", "LIBLINEAR's options, e.g. '-s 1 -B 1 -e 0.0001'.", default="")
@option("--set parameters", "NAME VALUE", "One setting of the technique; repeatable.", **VALUES)
@option("--tfidf", "NAME VALUE", "One setting of TF-IDF, e.g. min_df 2; repeatable.", **VALUES)
@option("--label-file", "F", "All labels, one a line (default: the training documents').", FILE)
@flag("--include-test-labels", "Labels that only the test documents have are labels like any other.")
@flag("--remove-unlabelled", "Leave out training documents without labels.")
@option("--model", "F", "With --train: save the trained model there; without: use that one.")
@option("--predictions", "F", "Write the predicted labels and their scores, one line a document.")
@option("--scores", "F", "Write the matrix of scores: .csv, .npy or .npz.")
@KS
@option("--seed", "S", "Of the folds and clusters, and of the bootstrap.", click.IntRange(0, SEEDS))
@bootstrap(seed=False)
@forms("table", "json")
@click.pass_context
def _linear(context: click.Context, form: str, parameters: tuple, tfidf: tuple, **options: Any) -> None:
    """Train and test a linear classifier of documents with several labels.

    Files are in LibMultiLabel's forms: .txt or .tsv, a line with id, labels, text or labels, text, separated
    by tabs, labels by blanks; .svm or .libsvm, lines such as 3,7 1:0.5 9:1. Texts become TF-IDF features.

    Techniques: 1vsrest, thresholding, cost_sensitive, cost_sensitive_micro, tree, and binary_and_multiclass
    for documents with one label each. --options are LIBLINEAR's: -s solver (0 to 7), -c cost, -e tolerance,
    -B bias, -m processes. There is no bias without -B. --set changes a technique: rule (thresholding:
    micromacro-freq, scut-fbr); degree, depth, beam (tree).

    Labels that only the test documents have are left out, and how much that matters is shown.

    examples:
      python -m helpers linear --train train.txt --test test.txt --options "-s 1 -B 1 -e 0.0001"
      python -m helpers linear --train train.svm --test test.svm --technique cost_sensitive --seed 1337
      python -m helpers linear --train train.txt --model mine.safetensors
      python -m helpers linear --model mine.safetensors --test new.txt --predictions labels.txt
    """
    source, written = context.get_parameter_source, click.core.ParameterSource.COMMANDLINE
    given = {known.name: known.opts[0] for known in context.command.params if source(known.name) is written}
    if len({"train", "test", "model"} & given.keys()) < 2:
        files = "documents to train on, documents to predict, the model to save or, without --train, to use"
        raise ValueError(f"linear needs two of --train F, --test F and --model F: {files}")
    if lone := [name for name in ("predictions", "scores") if name in given and "test" not in given]:
        raise ValueError(f"--{lone[0]} needs --test F")
    if "train" not in given:
        FILE.convert(options["model"], None, context)
        for name in TRAINING & given.keys():
            raise ValueError(f"{given[name]} is for training; {options['model']} is trained already")
    from ..experiments import train_and_test

    values, text = train_and_test(parameters=dict(parameters), tfidf=dict(tfidf), **options)
    put(values if form == "json" else text)


@app.command("runs")
@flag("--train", "Train what is missing, one after the other.")
@option("--seed seeds", "S", "Only this seed; repeatable.", click.IntRange(0, SEEDS), multiple=True)
@option("--model models", "M", "Only this model, e.g. EM-ES-M; repeatable.", multiple=True)
@option("--study", "NAME", "One of those below (default standard).", default="standard")
@option("--output out", "DIR", "Where the run files are (default results/runs, or the study's folder).")
@option("--run", "PATH", "With --train: this one run of the grid; other jobs that train it are waited for.")
@option("--profile", "P", "The grid of --run: standard (default: all studies), paper.", default="standard")
@option("--grid", "FILE", "The grid of --run: one of your own, see `grid`.", FILE)
@option("--encoder encoders", "E", "Of the paper's grid; repeatable.", multiple=True)
def _runs(train: bool, study: str, out: str | None, run: str | None, **chosen: Any) -> None:
    """The state of each run of profile standard: current, stale or missing; train the missing ones.

    The standard set: nine models on SemEval-2010 with five seeds, two of them also on the training split of
    PTR's authors, four on KBP37. The studies: learning rates on a held-out tenth (rates), learning curves
    (curves), EM-C with other markers and less training (ablations), the first layers of the encoder (layers),
    EMR-C drawn anew (emr-c), EM-ES as in paper W (bert-em), fp32 (precision), one thread (threads), an
    encoder of BERT base's size (base), the same with changes, once more and on a processor (base-changed,
    base-again, base-cpu), word vectors of graph models on a held-out tenth (vectors), C-GCN and GCN, with
    spaCy's parses, too (graphs), RECENT and others on sentence pairs of Re-DocRED, drawn ones with five seeds
    (redocred) and all once (redocred-all), how long CNN is trained on them (epochs), models of bags (gids),
    tested on single sentences (gids-sentences), BERT-entity and PCNN on single sentences (wiki80). What they
    are is written in experiments/studies.toml. Interrupt it at any time: what is stored is not trained
    again, and what was begun goes on. To use two cores well, start it twice with different seeds.

    examples:
      python -m helpers runs
      python -m helpers runs --train --seed 148
      python -m helpers runs --study ablations --train
      OMP_NUM_THREADS=1 python -m helpers runs --train --model R-BERT --model R-BERT-M
      python -m helpers runs --train --run results/runs/semeval2010/PTR/all-MiniLM-L6-v2/seed-459.json
    """
    from .. import experiments
    from ..models import is_first_process

    if run is not None:
        if not train:
            raise ValueError("--run PATH needs --train: `status` says what is stored")
        others = {"--output": out, "--seed": chosen["seeds"], "--model": chosen["models"]}
        if strange := [name for name, value in others.items() if value]:
            raise ValueError(f"{strange[0]} is of no use with --run, whose path names the run and its place")
        jobs = experiments.grid_jobs(chosen["profile"], chosen["grid"], chosen["encoders"])
        trained = experiments.train_one(run, jobs)
        if is_first_process():
            put(f"{'stored' if trained else 'is stored already'}: {run}")
        return
    jobs = experiments.study(study).jobs(out, chosen["seeds"], chosen["models"])
    for path, job in jobs.items() if train else ():
        if experiments.train_one(path, jobs, missing_only=True):
            about = job.experiment
            print(f"stored: {about.dataset_name} {job.title} seed {about.run_seed}", file=sys.stderr)
    put("\n".join(f"{job.state().state:8} {path}" for path, job in jobs.items()))
