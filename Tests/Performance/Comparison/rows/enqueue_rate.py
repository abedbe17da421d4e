"""Enqueueing alone: no worker runs, and the broker confirms every job when it has it on disk."""

from ..bench import Bench
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..processes import Failed
from ..report import Line, at_least
from ..rivals import pika_publisher
from ..rivals.celery_pool import CeleryPool

NUMBER = 3
TITLE = "enqueue alone, 10,000 files of 4 KiB, confirmed"


def run(bench: Bench) -> list[Line]:
    count = bench.size(10_000, 300)
    directory = bench.files.small(count)
    samples = interleave(bench.runs, {
        "Longshore": lambda: _longshore(bench, directory, count),
        "Celery delay": lambda: _celery(bench, directory, count, confirms=False),
        "Celery delay, confirmed": lambda: _celery(bench, directory, count, confirms=True),
        "pika, confirmed": lambda: {"per s": count / pika_publisher.enqueue_seconds(bench, directory)},
    })
    ours = middle(samples["Longshore"], "per s")
    whats = {
        "pika, confirmed": TITLE, "Celery delay, confirmed": "the same",
        "Celery delay": "the same; theirs as it comes, without confirms"}
    lines = [
        Line("3", what, "jobs/s", ours, name, middle(samples[name], "per s")) for name, what in whats.items()]
    lines[0].goal, lines[0].is_met, lines[0].samples = "≥ 15,000", at_least(ours, 15_000), samples
    lines.append(Line("3", "processor, enqueue-upload", "CPU s", middle(samples["Longshore"], "CPU s")))
    return lines


def _longshore(bench: Bench, directory, count: int) -> Sample:
    """The time of the whole command, with its start."""
    with Pool(bench) as pool:
        pool.declare()  # a pool that was used before has its queues
        measured = pool.enqueue(directory, to="row3/")
        if len(measured.output.split()) != count:
            raise Failed(f"enqueue-upload printed {len(measured.output.split())} ids for {count} files")
        return {"per s": count / measured.seconds, "CPU s": measured.cpu_seconds, "MB": measured.peak_bytes / 1e6}


def _celery(bench: Bench, directory, count: int, confirms: bool) -> Sample:
    """The time from the first call to the end of the last one, without Python's start."""
    with CeleryPool(bench, confirms) as pool:
        began, ended = map(float, pool.enqueue("bytes", directory, "row3/").output.split())
        return {"per s": count / (ended - began)}
