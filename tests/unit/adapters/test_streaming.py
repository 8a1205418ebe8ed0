"""torchmetrics' manner, against torchmetrics itself, in batches, collections and processes."""

import subprocess
import sys
import warnings

import pytest
import torch

from helpers import ROOT
from helpers.metrics import Outcome, average

NAMES = ["no_relation", "per:title", "per:age", "org:founded"]


def weighted_f1(*values, **named):
    """The metric; its module brings torchmetrics, which collecting the tests does not need."""
    from helpers.adapters.streaming import WeightedF1

    return WeightedF1(*values, **named)


@pytest.fixture
def batches():
    generator, sizes = torch.Generator().manual_seed(5), (7, 1, 30)
    logits = [torch.randn(size, 4, generator=generator) for size in sizes]
    return [(each, torch.randint(0, 4, (len(each),), generator=generator)) for each in logits]


@pytest.mark.parametrize("average_", ["micro", "weighted", "macro"])
def test_without_a_negative_class_it_is_torchmetrics(average_, batches):
    from torchmetrics.classification import MulticlassF1Score

    ours, theirs = weighted_f1(4, average_, labels="observed"), MulticlassF1Score(4, average=average_)
    for logits, target in batches:
        ours.update(logits, target)
        theirs.update(logits, target)
    assert ours.compute().item() == pytest.approx(theirs.compute().item(), abs=1e-6)


def test_batches_and_states_add_up_to_the_whole_and_the_mean_over_batches_does_not(batches):
    metric = weighted_f1(NAMES, negative="no_relation")
    single = [metric(logits, target).item() for logits, target in batches]  # forward: of this batch
    logits, target = (torch.cat(parts) for parts in zip(*batches, strict=True))
    whole = Outcome.from_columns(target.numpy(), logits.argmax(1).numpy(), labels=NAMES)
    expected = average(whole, "dodrans", negative="no_relation")
    assert metric.compute().item() == pytest.approx(expected, abs=1e-12)
    assert sum(single) / len(single) != pytest.approx(expected, abs=1e-3)
    metric.reset()
    metric.update(logits.argmax(1), target)  # ids, in one batch
    assert metric.compute().item() == pytest.approx(expected, abs=1e-12)
    states = [weighted_f1(NAMES, negative="no_relation") for _ in batches]
    for state, batch in zip(states, batches, strict=True):
        state.update(*batch)
    for other in states[1:]:
        states[0].merge_state(other)
    assert states[0].compute() == metric.compute() and int(states[0].counts.sum()) == 38


def test_it_works_in_a_collection(batches):
    from torchmetrics import MetricCollection
    from torchmetrics.classification import MulticlassAccuracy

    metrics = {"dodrans": weighted_f1(4, negative=0), "accuracy": MulticlassAccuracy(4, average="micro")}
    collection = MetricCollection(metrics)
    for batch in batches:
        collection.update(*batch)
    found = collection.compute()
    assert set(found) == {"dodrans", "accuracy"} and 0 < found["dodrans"] < 1


def test_errors_are_named():
    metric, every = weighted_f1(NAMES), weighted_f1(num_classes=2, ignore_index=None)
    for call, message in (
        (lambda: weighted_f1(), "give the classes, or num_classes"),
        (lambda: weighted_f1(classes=2, num_classes=2), "give the classes, or num_classes"),
        (lambda: weighted_f1(NAMES, negative="NA"), "'NA', which occurs nowhere; 'no_relation' does"),
        (
            lambda: metric.update(torch.zeros(2, 3), torch.tensor([0, 1])),
            r"have shape \(2, 3\), targets \(2,\)",
        ),
        (lambda: metric.update(torch.tensor([0, 1]), torch.tensor([0, 4])), "targets hold 4"),
        (lambda: every.update(torch.tensor([0]), torch.tensor([-100])), "targets hold -100"),
        (metric.compute, "nothing to score"),
    ):
        with warnings.catch_warnings(), pytest.raises(ValueError, match=message):
            warnings.simplefilter("ignore", UserWarning)  # torchmetrics says so, too
            call()
    assert not int(metric.counts.sum())


TWO = """
import sys, torch, torch.distributed as dist
from helpers.adapters.streaming import WeightedF1
rank, file = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
metric = WeightedF1(["NA", "a", "b"], "macro", negative="NA")
gold, predicted = [([0, 1, 2], [0, 1, 1]), ([1, 1, 2, 2], [1, 2, 2, 0])][rank]
metric.update(torch.tensor(predicted), torch.tensor(gold))
print(metric.compute().item())
dist.destroy_process_group()
"""


@pytest.mark.nightly(third=2)
def test_two_processes_give_the_score_of_both(tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", TWO]
    words = [[*command, str(rank), str(tmp_path / "meet")] for rank in (0, 1)]
    running = [subprocess.Popen(each, cwd=ROOT, stdout=subprocess.PIPE) for each in words]
    scores = [float(process.communicate(timeout=600)[0]) for process in running]
    table = Outcome.from_columns([0, 1, 2, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2, 0], labels=["NA", "a", "b"])
    assert scores == [pytest.approx(average(table, "macro", negative="NA"), abs=1e-12)] * 2
