"""Twenty thousand jobs have failed, and fall due within a minute: does each go on at its time?

The sink refuses the bytes of each file, which concerns the job alone: a circuit would pace the jobs by its trials. An attempt sends the bytes
three times, with 1.3 s of pauses, so the worker that fails has many slots; the one that takes the jobs when they are due has as many as in
the other rows. Jobs that were due before it was ready are not counted, but it has to carry them as well.
"""

import time
from datetime import datetime

from ..bench import JOBS_AT_ONCE, Bench
from ..measure import Sample, interleave, middle, percentile
from ..pool import Pool
from ..processes import wait_until
from ..report import Line, at_most

NUMBER = 13
TITLE = "20,000 failed jobs fall due within a minute: due → next attempt"
BASE_SECONDS = 60
FAILING_AT_ONCE = 1000


def run(bench: Bench) -> list[Line]:
    count = bench.size(20_000, 300)
    directory = bench.files.small(count)
    samples = interleave(min(bench.runs, 3), {"Longshore": lambda: _storm(bench, directory, count)})["Longshore"]
    most = middle(samples, "most s")
    return [
        Line("13", TITLE + ", the slowest", "s", most, goal="≤ 10 s", is_met=at_most(most, 10),
             samples={"Longshore": samples}),
        *(Line("13", f"the same, {name}", "s", middle(samples, f"{name} s")) for name in ("p50", "p99")),
    ]


def _storm(bench: Bench, directory, count: int) -> Sample:
    retry = f"{{base: {BASE_SECONDS}s, cap: {BASE_SECONDS}s, maxAttempts: 100}}"
    with Pool(bench, destination={"retry": retry}) as pool:
        notifier = pool.start_notifier()
        pool.enqueue(directory, to="row13/")
        bench.sink.reset()
        bench.sink.refuse(400, "BadDigest")
        try:
            failing = pool.start_worker("--concurrency", FAILING_AT_ONCE)
            refused = lambda: bench.sink.stats()["operations"]["putObject"]["failed"]
            wait_until(lambda: refused() >= 3 * count, "the failures", 600)
            failing.stop()
        finally:
            bench.sink.refuse_none()
        pool.start_worker("--concurrency", JOBS_AT_ONCE)
        ready = time.time()
        pool.wait_for_outcomes(count)
        # The sink tells times of CLOCK_MONOTONIC, the events those of the day.
        offset = time.time() - time.monotonic()
        attempts: dict[str, list[float]] = {}
        for exchange in bench.sink.log():
            attempts.setdefault(exchange.key, []).append(exchange.head / 1e9 + offset)
        lags = []
        for event in pool.events(notifier, "waiting", count):
            due = datetime.fromisoformat(event["waitingUntil"]).timestamp()
            if due >= ready:
                lags.append(min(at for at in attempts[event["target"].removeprefix("sink:")] if at > due - 1) - due)
        return {"jobs": len(lags), "p50 s": percentile(lags, 0.5), "p99 s": percentile(lags, 0.99), "most s": max(lags)}
