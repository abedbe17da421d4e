"""The time from enqueueing to the first byte at the server, on an otherwise idle pool.

A Python program that stays connected enqueues both. The time begins with its call: Celery's `delay`, or a publish
of Longshore's message. The time of a whole `enqueue-upload` is printed too.
"""

import time

from ..bench import Bench
from ..measure import Sample, interleave, middle, percentile
from ..pool import Pool
from ..processes import wait_until
from ..publisher import Publisher, inline
from ..report import Line, at_most
from ..rivals.celery_pool import CeleryPool

NUMBER = 4
TITLE = "enqueue → first byte at the server, idle pool"
PAUSE_SECONDS = 0.05


def run(bench: Bench) -> list[Line]:
    count = bench.size(400, 30)
    samples = interleave(bench.runs, {
        "Longshore": lambda: _longshore(bench, count),
        "Celery": lambda: _celery(bench, count),
    })
    ours, theirs = samples["Longshore"], samples["Celery"]

    def line(what: str, name: str, bound: float) -> Line:
        value = middle(ours, name)
        goal = f"≤ {bound:g} ms"
        return Line("4", what, "ms", value, "Celery", middle(theirs, name), False, goal, at_most(value, bound))

    lines = [line(f"{TITLE}, p50", "p50 ms", 3), line("the same, p99", "p99 ms", 15)]
    lines[0].samples = samples
    lines.append(Line("4", "the whole command enqueue-upload → first byte, p50", "ms", middle(ours, "command p50 ms")))
    return lines


def _percentiles(published: dict[str, int], bench: Bench) -> Sample:
    wait_until(lambda: bench.sink.objects() >= len(published), "all first bytes", 300)
    heads = {exchange.key: exchange.head for exchange in bench.sink.log() if exchange.operation == "putObject"}
    waits = [(heads[key] - at) / 1e6 for key, at in published.items()]
    return {"p50 ms": percentile(waits, 0.5), "p99 ms": percentile(waits, 0.99), "most ms": max(waits)}


def _longshore(bench: Bench, count: int) -> Sample:
    with Pool(bench) as pool:
        pool.start_notifier()
        pool.start_worker()
        file = bench.files.small(bench.size(10_000, 300)) / "000000.bin"
        commands = []
        for number in range(bench.size(20, 3)):
            bench.sink.reset()
            began = pool.enqueue(file, to=f"row4/{number}").began
            wait_until(lambda: bench.sink.objects() >= 1, "an upload", 300, 0.005)
            commands.append(next(e.head for e in bench.sink.log() if e.operation == "putObject") / 1e6 - began * 1000)
        time.sleep(1)
        bench.sink.reset()
        publisher, source, published = Publisher(pool), inline(b"x" * 4096), {}
        for number in range(count):
            time.sleep(PAUSE_SECONDS)
            key = f"row4/published-{number}"
            published[key] = time.monotonic_ns()
            publisher.publish(key, source, 4096)
        publisher.close()
        return _percentiles(published, bench) | {"command p50 ms": percentile(commands, 0.5)}


def _celery(bench: Bench, count: int) -> Sample:
    with CeleryPool(bench) as pool:
        pool.start_worker(processes=4)
        pool.warm_up()
        bench.sink.reset()
        times = pool.enqueue("paced", count, "row4/", PAUSE_SECONDS).output.split()
        published = {f"row4/{number}": int(at) for number, at in enumerate(times)}
        return _percentiles(published, bench)
