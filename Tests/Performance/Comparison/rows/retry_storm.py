"""Twenty thousand jobs fail at once, and fall due within a minute: does each go on at its time?

The sink refuses the bytes of each file, which concerns the job alone: a circuit would pace the jobs by its trials. An attempt sends the bytes
three times, with 1.3 s of pauses, so the worker has many slots. Jobs that fall due while the sink still refuses fail once more; the times of
those that fall due later are looked at.
"""

import time
from datetime import datetime

from ..bench import Bench
from ..measure import Sample, interleave, middle, percentile
from ..pool import Pool
from ..processes import wait_until
from ..report import Line, at_most

NUMBER = 13
TITLE = "20,000 failed jobs fall due within a minute: due → next attempt"
BASE_SECONDS = 60
SLOTS = 1000


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
            pool.start_worker("--concurrency", SLOTS)
            wait_until(lambda: pool.counts().get("waiting", 0) > 0 and not pool.counts().get("queued"), "the failures", 600)
        finally:
            bench.sink.refuse_none()
        ready = time.time()
        pool.wait_for_outcomes(count)
        # The sink tells times of CLOCK_MONOTONIC, the events those of the day.
        offset = time.time() - time.monotonic()
        attempts: dict[str, list[float]] = {}
        for exchange in bench.sink.log():
            attempts.setdefault(exchange.key, []).append(exchange.head / 1e9 + offset)
        lags = []
        for event in pool.events(notifier, "waiting", pool.event_count("waiting")):
            due = datetime.fromisoformat(event["waitingUntil"]).timestamp()
            if due >= ready:
                lags.append(min(at for at in attempts[event["target"].removeprefix("sink:")] if at > due - 1) - due)
        return {"jobs": len(lags), "p50 s": percentile(lags, 0.5), "p99 s": percentile(lags, 0.99), "most s": max(lags)}
