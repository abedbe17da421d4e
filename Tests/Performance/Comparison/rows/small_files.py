"""Ten thousand small files through the pool, and the rate of the worker alone."""

from ..bench import Bench
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..processes import Measured, cpu_seconds, wait_until
from ..report import Line, at_least
from ..rivals import boto, rclone, s5cmd
from ..rivals.celery_pool import CeleryPool

NUMBER = 2
TITLE = "10,000 files of 4 KiB"


def run(bench: Bench) -> list[Line]:
    count = bench.size(10_000, 300)
    directory = bench.files.small(count)

    def plain(copy):
        def contestant() -> Sample:
            bench.sink.reset()
            measured: Measured = copy(f"row2/{bench.number()}/")
            return {"per s": count / measured.seconds, "CPU s": measured.cpu_seconds}
        return contestant

    contestants = {
        "Longshore": lambda: _longshore(bench, directory, count),
        "Longshore's worker": lambda: _worker(bench, directory, count),
        "s5cmd": plain(lambda key: s5cmd.copy(bench, f"{directory}/", key)),
        "rclone": plain(lambda key: rclone.copy(bench, directory, key)),
        "boto3, 16 threads": plain(lambda key: boto.copy(bench, directory, key)),
        "Celery + boto3": lambda: _celery(bench, directory, count),
    }
    samples = interleave(bench.runs, contestants)
    ours, alone = middle(samples["Longshore"], "per s"), middle(samples["Longshore's worker"], "per s")
    celery = middle(samples["Celery + boto3"], "per s")
    lines = [
        Line("2", TITLE + ", enqueue → all outcomes", "jobs/s", ours, goal="≥ 5,000", is_met=at_least(ours, 5000),
             samples=samples),
        Line("2", "the same", "jobs/s", ours, "Celery + boto3", celery, True, "≥ 10 × Celery",
             None if not ours or not celery else ours >= 10 * celery),
    ]
    lines += [
        Line("2", "the same, theirs without a queue", "jobs/s", ours, name, middle(samples[name], "per s"))
        for name in ("s5cmd", "rclone", "boto3, 16 threads")
    ]
    lines += [
        Line("2", "the worker alone, first to last answer of the sink", "jobs/s", alone, "s5cmd",
             middle(samples["s5cmd"], "per s"), True, "≥ 15,000", at_least(alone, 15_000)),
        Line("2", "processor, worker + enqueue + notifier", "CPU ms/job",
             _each(middle(samples["Longshore"], "CPU s"), count), "s5cmd",
             _each(middle(samples["s5cmd"], "CPU s"), count), False),
        Line("2", "processor, the broker", "CPU ms/job", _each(middle(samples["Longshore"], "broker CPU s"), count),
             "Celery's", _each(middle(samples["Celery + boto3"], "broker CPU s"), count), False),
    ]
    return lines


def _each(seconds: float | None, count: int) -> float | None:
    return None if seconds is None else seconds / count * 1000


def _longshore(bench: Bench, directory, count: int) -> Sample:
    bench.sink.reset()
    with Pool(bench) as pool:
        notifier, worker = pool.start_notifier(), pool.start_worker()
        before = notifier.cpu_seconds() + worker.cpu_seconds()
        broker = cpu_seconds(bench.broker.pid)
        enqueued = pool.enqueue(directory, to="row2/")
        ended = pool.wait_for_outcomes(count)
        used = notifier.cpu_seconds() + worker.cpu_seconds() - before + enqueued.cpu_seconds
        sink = bench.sink.stats()["operations"]["putObject"]
        return {
            "per s": count / (ended - enqueued.began), "CPU s": used, "enqueue s": enqueued.seconds,
            "broker CPU s": cpu_seconds(bench.broker.pid) - broker,
            "uploaded s": sink["lastAnswered"] / 1e9 - enqueued.began, "recorded s": ended - enqueued.began}


def _worker(bench: Bench, directory, count: int) -> Sample:
    """All jobs wait when the worker starts, and no notifier competes with it."""
    with Pool(bench) as pool:
        pool.enqueue(directory, to="row2/")
        bench.sink.reset()
        worker = pool.start_worker()
        wait_until(lambda: bench.sink.objects() >= count, "the worker", 1800)
        answers = sorted(exchange.answered for exchange in bench.sink.log() if exchange.operation == "putObject")
        return {"per s": (len(answers) - 1) / ((answers[-1] - answers[0]) / 1e9), "CPU s": worker.cpu_seconds()}


def _celery(bench: Bench, directory, count: int) -> Sample:
    with CeleryPool(bench) as pool:
        worker = pool.start_worker()
        pool.warm_up()
        bench.sink.reset()
        before, broker = worker.cpu_seconds(), cpu_seconds(bench.broker.pid)
        enqueued = pool.enqueue("bytes", directory, "row2/")
        began = float(enqueued.output.split()[0])
        ended = pool.wait_for_objects(count)
        return {
            "per s": count / (ended - began), "CPU s": worker.cpu_seconds() - before + enqueued.cpu_seconds,
            "broker CPU s": cpu_seconds(bench.broker.pid) - broker}
