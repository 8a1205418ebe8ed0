"""torchmetrics' manner, against torchmetrics itself, in batches, collections and processes."""

import subprocess
import sys
import warnings

import pytest
import torch

from helpers import ROOT
from helpers.metrics import Outcome, average


def weighted_f1(*values, **named):
    """The metric; its module brings torchmetrics, which collecting the tests does not need."""
    from helpers.adapters.streaming import WeightedF1

    return WeightedF1(*values, **named)


NAMES = ["no_relation", "per:title", "per:age", "org:founded"]


@pytest.fixture
def batches():
    generator = torch.Generator().manual_seed(5)
    sizes = (7, 1, 30)
    return [
        (torch.randn(size, 4, generator=generator), torch.randint(0, 4, (size,), generator=generator))
        for size in sizes
    ]


@pytest.mark.parametrize("average_", ["micro", "weighted", "macro"])
def test_without_a_negative_class_it_is_torchmetrics(average_, batches):
    from torchmetrics.classification import MulticlassF1Score

    ours, theirs = weighted_f1(4, average_, labels="observed"), MulticlassF1Score(4, average=average_)
    for logits, target in batches:
        ours.update(logits, target)
        theirs.update(logits, target)
    assert ours.compute().item() == pytest.approx(theirs.compute().item(), abs=1e-6)


def test_batches_add_up_to_the_whole_and_the_mean_over_batches_does_not(batches):
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


def test_states_merge(batches):
    metrics = [weighted_f1(NAMES, "macro", negative="no_relation") for _ in range(3)]
    for metric, batch in zip(metrics, (*batches[:2], batches[2]), strict=True):
        metric.update(*batch)
    total = metrics[0]
    for other in metrics[1:]:
        total.merge_state(other)
    whole = weighted_f1(NAMES, "macro", negative="no_relation")
    for batch in batches:
        whole.update(*batch)
    assert total.compute() == whole.compute()
    assert int(total.counts.sum()) == 38


def test_it_works_in_a_collection(batches):
    from torchmetrics import MetricCollection
    from torchmetrics.classification import MulticlassAccuracy

    collection = MetricCollection(
        {"dodrans": weighted_f1(4, negative=0), "accuracy": MulticlassAccuracy(4, average="micro")}
    )
    for batch in batches:
        collection.update(*batch)
    found = collection.compute()
    assert set(found) == {"dodrans", "accuracy"} and 0 < found["dodrans"] < 1


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_numbers_of_any_precision_with_a_gradient(dtype, batches):
    metric, expected = weighted_f1(num_classes=4), weighted_f1(4)
    for logits, target in batches:
        rounded = logits.to(dtype)
        metric.update(rounded.requires_grad_(), target)
        expected.update(rounded.detach().argmax(-1), target)
    assert metric.compute() == expected.compute()


def test_every_target_counts_without_an_index_to_ignore():
    metric = weighted_f1(num_classes=2, ignore_index=None)
    metric.update(torch.tensor([0, 1]), torch.tensor([0, 0]))
    assert metric.compute() == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="targets hold -100"):
        metric.update(torch.tensor([0]), torch.tensor([-100]))


@pytest.mark.parametrize("classes", [{}, {"classes": 2, "num_classes": 2}])
def test_classes_are_given_once(classes):
    with pytest.raises(ValueError, match="give the classes, or num_classes"):
        weighted_f1(**classes)


def test_errors_are_named(batches):
    with pytest.raises(ValueError, match="'NA', which is none of the 4 classes"):
        weighted_f1(NAMES, negative="NA")
    metric = weighted_f1(NAMES)
    with pytest.raises(ValueError, match=r"predictions have shape \(2, 3\), targets \(2,\)"):
        metric.update(torch.zeros(2, 3), torch.tensor([0, 1]))
    with pytest.raises(ValueError, match="targets hold 4"):
        metric.update(torch.tensor([0, 1]), torch.tensor([0, 4]))
    with warnings.catch_warnings(), pytest.raises(ValueError, match="nothing to score"):
        warnings.simplefilter("ignore", UserWarning)  # torchmetrics says so, too
        metric.compute()
    assert not int(metric.counts.sum())


TWO = """
import sys, torch
import torch.distributed as dist
from helpers.adapters.streaming import WeightedF1
rank, file = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
metric = WeightedF1(["NA", "a", "b"], "macro", negative="NA")
gold = [[0, 1, 2], [1, 1, 2, 2]][rank]
found = [[0, 1, 1], [1, 2, 2, 0]][rank]
metric.update(torch.tensor(found), torch.tensor(gold))
print(metric.compute().item())
dist.destroy_process_group()
"""


def test_two_processes_give_the_score_of_both(tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", TWO]
    running = [
        subprocess.Popen([*command, str(rank), str(tmp_path / "meet")], cwd=ROOT, stdout=subprocess.PIPE)
        for rank in (0, 1)
    ]
    scores = [float(one.communicate(timeout=600)[0]) for one in running]
    table = Outcome.from_columns([0, 1, 2, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2, 0], labels=["NA", "a", "b"])
    expected = average(table, "macro", negative="NA")
    assert scores == [pytest.approx(expected, abs=1e-12)] * 2
