"""Celery + boto3 on the same broker: a queue and the workers that a row starts."""

import os

import pika

from ..bench import JOBS_AT_ONCE, PART_MIB, PARTS_AT_ONCE, Bench
from ..processes import Failed, Measured, Program, run, wait_until


class CeleryPool:
    def __init__(self, bench: Bench, confirms: bool = True):
        self.bench = bench
        self.queue = f"celery-{os.getpid()}-{bench.number()}"
        self.workers: list[Program] = []
        self._environment = bench.environment(
            PYTHONPATH=str(bench.package), BENCH_BROKER=bench.broker.url.rstrip("/") + "//", BENCH_QUEUE=self.queue,
            BENCH_ENDPOINT=bench.sink.url, BENCH_BUCKET=bench.sink.bucket, BENCH_PART_MIB=str(PART_MIB),
            BENCH_PARTS=str(PARTS_AT_ONCE), BENCH_CONFIRMS="yes" if confirms else "no")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.stop(20)
        connection = pika.BlockingConnection(pika.URLParameters(self.bench.broker.url))
        connection.channel().queue_delete(self.queue)
        connection.close()

    def start_worker(self, processes: int = JOBS_AT_ONCE) -> Program:
        """Starts a worker and waits until its consumer and its processes exist."""
        name = f"w{len(self.workers)}@localhost"
        log = self.bench.home / f"celery-{len(self.workers)}.log"
        log.unlink(missing_ok=True)
        worker = Program([
            self.bench.python, "-m", "celery", "-A", "Comparison.clients.celery_tasks", "worker", "-n", name,
            "--concurrency", processes, "--loglevel", "INFO", "--without-gossip", "--without-mingle",
        ], log, self._environment)
        self.workers.append(worker)
        wait_until(lambda: " ready." in log.read_text() or not worker.is_running, "a Celery worker", 120)
        if not worker.is_running:
            raise Failed(f"Celery's worker ended: {worker.last_words()}")
        return worker

    def warm_up(self):
        """Waits until every process has made its client, which takes them a second, once."""
        directory = self.bench.files.small(8 * JOBS_AT_ONCE)
        before = self.bench.sink.objects()
        self.enqueue("bytes", directory, "warm-up/")
        self.wait_for_objects(before + 8 * JOBS_AT_ONCE)

    def enqueue(self, *arguments) -> Measured:
        return run(
            [self.bench.python, "-m", "Comparison.clients.celery_enqueue", *arguments], self.bench.home / "celery.log",
            self._environment)

    def wait_for_objects(self, count: int) -> float:
        """Returns when the sink answered the last of them (time.monotonic()), which is before Celery knows it."""
        sink = self.bench.sink
        wait_until(lambda: sink.objects() >= count, f"{count} objects of Celery's", 3600, 0.05)
        stats = sink.stats()["operations"]
        return max(stats[name]["lastAnswered"] for name in ("putObject", "completeUpload")) / 1e9
