"""Work on several processes: order, errors, interruptions, and that no process is left over."""

import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from types import SimpleNamespace

import pytest

from helpers import ROOT
from helpers.models.linear.liblinear import AHEAD, _map_in_order
from tests.support import nightly

PATIENCE = 120
# Ends by itself after ten minutes, unless it is ended. What runs in the background may ignore SIGINT.
LONG = """
import os, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from helpers.models.linear.liblinear import _map_in_order
def work(piece):
    os.write(1, b"w")
    time.sleep(0.2)
for _ in _map_in_order(work, range(6000), 6000, jobs=2):
    pass
"""


def squared(piece):
    return piece**2


def failing(error, piece):
    if piece == 3:
        raise error
    return piece


@pytest.fixture(autouse=True)
def no_process_is_left():
    yield
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("total", [0, 1, 2, 50])
def test_results_come_in_the_order_of_the_pieces(jobs, total):
    results = _map_in_order(squared, range(total), total, jobs)
    assert [*results] == [piece**2 for piece in range(total)]


def test_a_process_that_may_not_start_others_does_it_alone(monkeypatch):
    """A worker of `multiprocessing.Pool` is one."""
    monkeypatch.setattr(multiprocessing, "current_process", lambda: SimpleNamespace(daemon=True))
    assert {*_map_in_order(lambda _: os.getpid(), range(4), 4, jobs=2)} == {os.getpid()}


@pytest.mark.parametrize("jobs", [1, 2])
def test_pieces_are_asked_for_as_they_are_needed_and_who_stops_asking_ends_all(jobs):
    asked = []
    pieces = (asked.append(piece) or piece for piece in range(100))
    results = _map_in_order(squared, pieces, 100, jobs)
    assert [next(results) for _ in range(3)] == [0, 1, 4]
    assert len(asked) == (3 if jobs == 1 else 2 + jobs * AHEAD)
    results.close()


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("error", [ZeroDivisionError("here"), KeyboardInterrupt(), MemoryError("much")])
def test_an_error_of_a_piece_is_raised_and_all_end(jobs, error):
    results = _map_in_order(lambda piece: failing(error, piece), range(50), 50, jobs)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(type(error)) as raised:
        next(results)
    assert raised.value.args == error.args


def test_a_process_that_dies_is_no_silence():
    with pytest.raises(BrokenProcessPool):
        list(_map_in_order(lambda _: os._exit(1), range(5), 5, jobs=2))


@pytest.mark.parametrize(
    "kill",
    nightly([signal.SIGINT, signal.SIGTERM, signal.SIGKILL], 1, signal.SIGINT, signal.SIGTERM),
    ids=lambda kill: kill.name,
)
def test_when_the_process_is_ended_so_are_the_others(kill):
    """They hold the other end of the pipe, which is at its end when none of them is left."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", LONG], cwd=ROOT, start_new_session=True, **pipes)
    try:
        assert process.stdout.read(4) == b"wwww"
        process.send_signal(kill)
        _, errors = process.communicate(timeout=PATIENCE)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == -kill
    assert (b"KeyboardInterrupt" in errors) == (kill == signal.SIGINT)
