"""Files that are too large for their messages: each is copied into the staging area first, and is there on disk."""

from ..bench import Bench
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..processes import Measured
from ..report import Line
from ..rivals import s5cmd

NUMBER = 10
TITLE = "10,000 files of 100 KiB, staged"
BYTES = 100 << 10


def run(bench: Bench) -> list[Line]:
    count = bench.size(10_000, 200)
    directory = bench.files.small(count, BYTES)
    samples = interleave(bench.runs, {
        "Longshore": lambda: _longshore(bench, directory, count),
        "s5cmd": lambda: _s5cmd(bench, directory, count),
    })
    ours, theirs = middle(samples["Longshore"], "per s"), middle(samples["s5cmd"], "per s")
    return [
        Line("10", TITLE + ", enqueue → all outcomes", "jobs/s", ours, "s5cmd", theirs, True, "≥ 0.8 × s5cmd",
             None if not ours or not theirs else ours >= 0.8 * theirs, samples),
        Line("10", "enqueue-upload alone while the worker works", "jobs/s", middle(samples["Longshore"], "enqueued per s")),
    ]


def _longshore(bench: Bench, directory, count: int) -> Sample:
    bench.sink.reset()
    with Pool(bench) as pool:
        pool.start_notifier()
        pool.start_worker()
        enqueued = pool.enqueue(directory, to="row10/")
        ended = pool.wait_for_outcomes(count)
        return {"per s": count / (ended - enqueued.began), "enqueued per s": count / enqueued.seconds}


def _s5cmd(bench: Bench, directory, count: int) -> Sample:
    bench.sink.reset()
    measured: Measured = s5cmd.copy(bench, f"{directory}/", "row10/")
    return {"per s": count / measured.seconds}
