"""A copy from one key of a bucket to another. The server makes it by itself: `rclone serve s3`, which copies whole objects and no parts."""

from ..bench import Bench
from ..files import GIB, MIB
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..processes import Failed
from ..report import Line
from ..rivals import rclone, s5cmd

NUMBER = 21
TITLE = "a copy of 2 GiB that the server makes by itself"


def run(bench: Bench) -> list[Line]:
    size = bench.size(2 * GIB, 128 * MIB)
    server = rclone.S3Server(bench)
    try:
        s5cmd.copy(bench, bench.files.large(size), "original", server.url)
        samples = interleave(bench.runs, {
            "longshore": lambda: _longshore(bench, server.url),
            "s5cmd": lambda: {"s": s5cmd.copy(bench, f"s3://{bench.sink.bucket}/original", "copy-s5cmd", server.url).seconds},
        })
    finally:
        server.stop()
    return [
        Line("21", "2 GiB from key to key, enqueue → outcome", "s", middle(samples["longshore"], "s"), "s5cmd",
             middle(samples["s5cmd"], "s"), False, samples=samples),
        Line("21", "bytes through the worker", "MiB", middle(samples["longshore"], "MiB")),
    ]


def _longshore(bench: Bench, url: str) -> Sample:
    keys = {"source": "true", "multipartThreshold": "5GiB"}
    with Pool(bench, endpoint=url, destination=keys) as pool:
        notifier = pool.start_notifier()
        pool.start_worker()
        enqueued = pool.enqueue("--from", "sink", "original", to="copy-longshore")
        ended = pool.wait_for_outcomes(1)
        event = pool.events(notifier, "completed", 1)[0]
        if not event["object"]["isServerSideCopy"]:
            raise Failed("the worker carried the bytes")
        return {"s": ended - enqueued.began, "MiB": event["bytesSent"] / (1 << 20)}
