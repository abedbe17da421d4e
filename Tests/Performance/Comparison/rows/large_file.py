"""One large file through the whole pool, from `enqueue-upload` to the completed event."""

from ..bench import Bench
from ..files import GIB, MIB
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..processes import Measured
from ..report import Line, at_most
from ..rivals import boto, rclone, s5cmd
from ..rivals.celery_pool import CeleryPool

NUMBER = 1
TITLE = "one 2 GiB file, 16 MiB parts × 4"


def run(bench: Bench) -> list[Line]:
    size = bench.size(2 * GIB, 128 * MIB)
    file = bench.files.large(size)
    contestants = {"Longshore": lambda: longshore(bench, file, size)} | rivals(bench, file, size)
    contestants["Celery + boto3"] = lambda: _celery(bench, file, size)
    samples = interleave(bench.runs, contestants)
    ours, s5 = samples["Longshore"], samples["s5cmd"]
    rate, theirs = middle(ours, "GB/s"), middle(s5, "GB/s")
    lines = [Line(
        "1", TITLE + ", enqueue → completed", "GB/s", rate, "s5cmd", theirs, True, "≥ 1 × s5cmd",
        None if not rate or not theirs else rate >= theirs, samples)]
    lines += [
        Line("1", "the same", "GB/s", rate, name, middle(samples[name], "GB/s"))
        for name in contestants if name not in ("Longshore", "s5cmd")
    ]
    worker = middle(ours, "worker CPU s/GiB")
    lines += [
        Line("1", "processor, the worker", "CPU s/GiB", worker, "s5cmd", middle(s5, "CPU s/GiB"), False, "≤ 0.6",
             at_most(worker, 0.6)),
        Line("1", "processor, worker + enqueue + notifier", "CPU s/GiB", middle(ours, "CPU s/GiB"),
             "s5cmd", middle(s5, "CPU s/GiB"), False),
        Line("1", "staged and begun (enqueue → first request)", "s", middle(ours, "begun s")),
        Line("1", "the sink's own processor", "CPU s/GiB", middle(ours, "sink CPU s/GiB"), "s5cmd",
             middle(s5, "sink CPU s/GiB"), False),
    ]
    return lines + _stored(bench)


def rivals(bench: Bench, file, size: int) -> dict:
    """Those without a queue."""
    def plain(copy):
        def contestant() -> Sample:
            bench.sink.reset()
            before = bench.sink.cpu_seconds()
            sample = _sample(copy(f"large/{bench.number()}"), size)
            return sample | {"sink CPU s/GiB": (bench.sink.cpu_seconds() - before) / (size / GIB)}
        return contestant

    return {
        "s5cmd": plain(lambda key: s5cmd.copy(bench, file, key)),
        "rclone": plain(lambda key: rclone.copy(bench, file, key)),
        "boto3": plain(lambda key: boto.copy(bench, file, key)),
        "boto3 + CRT": plain(lambda key: boto.copy(bench, file, key, "crt")),
    }


def _sample(measured: Measured, size: int) -> Sample:
    return {
        "GB/s": size / measured.seconds / 1e9, "CPU s/GiB": measured.cpu_seconds / (size / GIB),
        "MB": measured.peak_bytes / 1e6}


def longshore(bench: Bench, file, size: int, *options: str, endpoint: str | None = None) -> Sample:
    """options: further options of enqueue-upload."""
    bench.sink.reset()
    with Pool(bench, endpoint) as pool:
        notifier, worker = pool.start_notifier(), pool.start_worker()
        before = [program.cpu_seconds() for program in (worker, notifier)]
        sink_before = bench.sink.cpu_seconds()
        measured = pool.enqueue("--wait", *options, file, to="large/")
        pool.wait_for_outcomes(1)
        used = [program.cpu_seconds() - earlier for program, earlier in zip((worker, notifier), before)]
        sample = _sample(measured, size) | {
            "CPU s/GiB": (measured.cpu_seconds + sum(used)) / (size / GIB), "worker CPU s/GiB": used[0] / (size / GIB),
            "worker MB": worker.peak_bytes() / 1e6}
    if endpoint is None:  # else it is not the sink that was asked
        sample["sink CPU s/GiB"] = (bench.sink.cpu_seconds() - sink_before) / (size / GIB)
        sample["begun s"] = min(exchange.head for exchange in bench.sink.log()) / 1e9 - measured.began
    return sample


def _celery(bench: Bench, file, size: int) -> Sample:
    with CeleryPool(bench) as pool:
        worker = pool.start_worker(processes=4)
        pool.warm_up()
        bench.sink.reset()
        before = worker.cpu_seconds()
        enqueued = pool.enqueue("file", file, "row1/celery")
        began = float(enqueued.output.split()[0])  # Python's start is not counted
        ended = pool.wait_for_objects(1)
        used = worker.cpu_seconds() - before
    return {"GB/s": size / (ended - began) / 1e9, "CPU s/GiB": used / (size / GIB)}


def _stored(bench: Bench) -> list[Line]:
    """The same with a server that stores the bytes: it is the bottleneck, so all contestants look alike."""
    size = bench.size(GIB, 64 * MIB)
    file = bench.files.large(size)

    def with_server(contestant):
        def run() -> Sample:
            server = rclone.S3Server(bench)
            try:
                return contestant(server.url)
            finally:
                server.stop()
        return run

    samples = interleave(bench.runs, {
        "Longshore": with_server(lambda url: longshore(bench, file, size, endpoint=url)),
        "s5cmd": with_server(lambda url: _sample(s5cmd.copy(bench, file, "row1/file", url), size)),
    })
    return [Line(
        "1", "1 GiB into `rclone serve s3`, which stores it", "GB/s", middle(samples["Longshore"], "GB/s"), "s5cmd",
        middle(samples["s5cmd"], "GB/s"), samples=samples)]
