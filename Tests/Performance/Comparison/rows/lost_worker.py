"""A worker dies with 300 small jobs in hand while another stands by.

The sink answers slowly, so that all of them are under way when the worker is killed.
"""

import time
from collections import Counter

from ..bench import Bench
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..processes import wait_until
from ..report import Line, at_most

NUMBER = 12
TITLE = "kill -9 of a worker with 300 small jobs in hand → all done by another"
COUNT = 300
LATENCY_MS = 30_000


def run(bench: Bench) -> list[Line]:
    directory = bench.files.small(COUNT)
    samples = interleave(bench.runs, {"Longshore": lambda: _kill(bench, directory)})["Longshore"]
    seconds, twice = middle(samples, "s"), middle(samples, "twice")
    return [
        Line("12", TITLE, "s", seconds, goal="≤ 3 s", is_met=at_most(seconds, 3), samples={"Longshore": samples}),
        Line("12", "files that were answered twice", "", twice, goal="none", is_met=at_most(twice, 0)),
    ]


def _kill(bench: Bench, directory) -> Sample:
    with Pool(bench, worker=f"{{concurrency: {COUNT}}}") as pool:
        pool.start_notifier()
        worker = pool.start_worker()
        bench.sink.reset()
        with bench.sink.latency(LATENCY_MS):
            pool.enqueue(directory, to="row12/")
            wait_until(lambda: bench.sink.waiting() >= COUNT, "all jobs to be under way", 60, 0.005)
        pool.start_worker()
        killed = time.monotonic()
        worker.kill()
        ended = pool.wait_for_outcomes(COUNT)
        answered = Counter(e.key for e in bench.sink.log() if e.operation == "putObject" and e.is_whole)
        return {"s": ended - killed, "twice": sum(count > 1 for count in answered.values())}
