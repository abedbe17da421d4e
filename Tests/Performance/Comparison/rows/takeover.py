"""Another worker resumes after `kill -9`: how long no byte arrives, and how many bytes are sent again.

The sink answers slowly, so that the worker dies in the middle of the file.
"""

import time

from ..bench import PART_MIB, PARTS_AT_ONCE, Bench
from ..files import GIB, MIB
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..processes import Failed, wait_until
from ..report import Line, at_most
from ..rivals.celery_pool import CeleryPool

NUMBER = 6
TITLE = "takeover after kill -9: last byte of the dead → first of the next"
LATENCY_MS = 250


def run(bench: Bench) -> list[Line]:
    size = bench.size(2 * GIB, 512 * MIB)
    file = bench.files.large(size)
    with bench.sink.latency(LATENCY_MS):
        samples = interleave(bench.runs, {
            "Longshore": lambda: _longshore(bench, file, size),
            "Celery, acks_late": lambda: _celery(bench, file, size),
        })
    ours, theirs = samples["Longshore"], samples["Celery, acks_late"]
    gap, again = middle(ours, "gap s"), middle(ours, "parts again")
    return [
        Line("6", TITLE, "s", gap, "Celery, acks_late", middle(theirs, "gap s"), False, "≤ 2 s", at_most(gap, 2),
             samples),
        Line("6", f"parts sent again that had arrived, of {size // (PART_MIB * MIB)}", "", again, "Celery, acks_late",
             middle(theirs, "parts again"), False, f"≤ {PARTS_AT_ONCE} in flight", at_most(again, PARTS_AT_ONCE)),
        Line("6", "bytes sent / bytes of the file", "", middle(ours, "bytes sent"), "Celery, acks_late",
             middle(theirs, "bytes sent"), False),
    ]


def _kill_midway(bench: Bench, worker, start_next, size: int, objects: int) -> Sample:
    """objects: the number that the sink will have in the end."""
    arrived = lambda: bench.sink.stats()["operations"]["uploadPart"]["bytes"]
    wait_until(lambda: arrived() > 0, "the first part", 120)
    start_next()
    if arrived() > size * 3 // 4:
        raise Failed("the file was too small to kill a worker in its middle")
    wait_until(lambda: arrived() > size // 4, "a quarter of the file", 120)
    killed = time.monotonic_ns()
    worker.kill()
    wait_until(lambda: bench.sink.objects() >= objects, "the file from another worker", 300)
    sent = [exchange for exchange in bench.sink.log() if exchange.has_body and exchange.part]
    # Connections made before the kill are the dead worker's: the other one had nothing to do.
    dead = [exchange for exchange in sent if exchange.connected < killed]
    living = [exchange for exchange in sent if exchange.connected >= killed]
    whole = {exchange.part for exchange in dead if exchange.is_whole}
    return {
        "gap s": (min(exchange.head for exchange in living) - max(exchange.last for exchange in dead)) / 1e9,
        "parts again": len({exchange.part for exchange in living} & whole),
        "parts of the dead": len(whole),
        "bytes sent": sum(exchange.bytes for exchange in sent) / size,
    }


def _longshore(bench: Bench, file, size: int) -> Sample:
    with Pool(bench) as pool:
        pool.start_notifier()
        worker = pool.start_worker()
        bench.sink.reset()
        pool.enqueue(file, to="row6/")
        sample = _kill_midway(bench, worker, pool.start_worker, size, 1)
        pool.wait_for_outcomes(1)
        return sample


def _celery(bench: Bench, file, size: int) -> Sample:
    with CeleryPool(bench) as pool:
        worker = pool.start_worker(processes=1)
        bench.sink.reset()
        pool.enqueue("file", file, "row6/celery")
        return _kill_midway(bench, worker, lambda: pool.start_worker(processes=1), size, 1)
