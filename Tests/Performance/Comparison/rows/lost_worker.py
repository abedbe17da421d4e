"""A worker dies with 300 small jobs in hand while another stands by.

The worker first learns from a distant sink that it is worth having hundreds of jobs under way. Then the sink answers so slowly that nothing
ends before the worker is killed: most of the 300 are under way, and the others wait in the worker.
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
UNDER_WAY = 200
LATENCY_MS = 30_000
LEARNING_COUNT = 8000
LEARNING_LATENCY_MS = 200


def run(bench: Bench) -> list[Line]:
    samples = interleave(bench.runs, {"Longshore": lambda: _kill(bench)})["Longshore"]
    seconds, twice = middle(samples, "s"), middle(samples, "twice")
    return [
        Line("12", TITLE, "s", seconds, goal="≤ 3 s", is_met=at_most(seconds, 3), samples={"Longshore": samples}),
        Line("12", "files that were answered twice", "", twice, goal="none", is_met=at_most(twice, 0)),
    ]


def _kill(bench: Bench) -> Sample:
    with Pool(bench, worker=f"{{concurrency: {COUNT}}}") as pool:
        pool.start_notifier()
        worker = pool.start_worker()
        with bench.sink.latency(LEARNING_LATENCY_MS):
            pool.enqueue(bench.files.small(LEARNING_COUNT), to="row12/learning/")
            pool.wait_for_outcomes(LEARNING_COUNT)
        bench.sink.reset()
        with bench.sink.latency(LATENCY_MS):
            pool.enqueue(bench.files.small(COUNT), to="row12/")
            wait_until(lambda: bench.sink.waiting() >= UNDER_WAY, f"{UNDER_WAY} jobs to be under way", 20, 0.005)
        pool.start_worker()
        killed = time.monotonic()
        worker.kill()
        ended = pool.wait_for_outcomes(LEARNING_COUNT + COUNT)
        answered = Counter(e.key for e in bench.sink.log() if e.operation == "putObject" and e.is_whole)
        return {"s": ended - killed, "twice": sum(count > 1 for count in answered.values())}
