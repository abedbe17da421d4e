"""A staging area in a bucket beside one in a directory. The bucket is a real server, `rclone serve s3`; the destination is the sink."""

from pathlib import Path

from ..bench import Bench
from ..files import GIB, MIB
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..report import Line
from ..rivals import rclone, s5cmd

NUMBER = 20
TITLE = "staging in a bucket beside a directory: one 2 GiB file, and 10,000 of 100 KiB"
BYTES = 100 << 10


def run(bench: Bench) -> list[Line]:
    size = bench.size(2 * GIB, 128 * MIB)
    count = bench.size(10_000, 200)
    lines = _compare(bench, bench.files.large(size), 1, size, "one 2 GiB file", "GB/s", 1e9)
    return lines + _compare(bench, bench.files.small(count, BYTES), count, count, "10,000 files of 100 KiB", "jobs/s", 1)


def _compare(bench: Bench, source: Path, count: int, amount: int, title: str, unit: str, divisor: float) -> list[Line]:
    samples = interleave(bench.runs, {
        "bucket": lambda: _staged(bench, source, count, amount / divisor, is_in_bucket=True),
        "directory": lambda: _staged(bench, source, count, amount / divisor, is_in_bucket=False),
        "s5cmd": lambda: _s5cmd(bench, source),
    })
    bucket, directory = samples["bucket"], samples["directory"]
    return [
        Line("20", f"{title}, staged in a bucket, enqueue → outcomes", unit, middle(bucket, "rate"), "a directory",
             middle(directory, "rate"), True, samples=samples),
        Line("20", "enqueue-upload alone", "s", middle(bucket, "enqueue s"), "a directory", middle(directory, "enqueue s"), False),
        Line("20", "the same, beside s5cmd into that bucket", "s", middle(bucket, "enqueue s"), "s5cmd",
             middle(samples["s5cmd"], "s"), False),
        Line("20", "memory, enqueue-upload", "MiB", middle(bucket, "MiB"), "a directory", middle(directory, "MiB"), False),
    ]


def _staged(bench: Bench, source: Path, count: int, amount: float, is_in_bucket: bool) -> Sample:
    bench.sink.reset()
    server = rclone.S3Server(bench) if is_in_bucket else None
    try:
        with Pool(bench, stage=server.url if server else None) as pool:
            pool.start_notifier()
            pool.start_worker()
            enqueued = pool.enqueue(source, to="row20/")
            ended = pool.wait_for_outcomes(count)
            return {"rate": amount / (ended - enqueued.began), "enqueue s": enqueued.seconds,
                    "MiB": enqueued.peak_bytes / (1 << 20)}
    finally:
        if server:
            server.stop()


def _s5cmd(bench: Bench, source: Path) -> Sample:
    """What the server itself takes for the copies."""
    server = rclone.S3Server(bench)
    try:
        path = f"{source}/" if source.is_dir() else source
        return {"s": s5cmd.copy(bench, path, "copies/", server.url).seconds}
    finally:
        server.stop()
