"""A whole Longshore: a namespace of its own on the broker, a staging area, a ledger, the programs that a row starts."""

import http.client
import os
import shutil
import sqlite3
import time
from contextlib import closing

from .bench import ACCESS_KEY, JOBS_AT_ONCE, PART_MIB, PARTS_AT_ONCE, SECRET_KEY, Bench, free_port
from .measure import say
from .processes import Failed, Measured, Program, run, wait_until

ENDED = ("completed", "failed", "cancelled")


class Pool:
    def __init__(self, bench: Bench, endpoint: str | None = None, delegates: dict[str, str] | None = None,
                 destination: dict[str, str] | None = None):
        """endpoint: another S3 server than the sink. destination: further keys of it. delegates: by name. In YAML."""
        self.bench = bench
        self.directory = bench.directory("pool")
        self.namespace = f"bench-{os.getpid()}-{bench.number()}"
        self.programs: list[Program] = []
        self.ledger = self.directory / "ledger.sqlite"
        keys = {
            "driver": "s3", "endpoint": endpoint or bench.sink.url, "region": "us-east-1", "bucket": bench.sink.bucket,
            "accessKeyId": ACCESS_KEY, "secretAccessKey": SECRET_KEY, "partSize": f"{PART_MIB}MiB",
        } | (destination or {})
        lines = [
            f"broker: {bench.broker.url}", f"namespace: {self.namespace}", f"staging: {self.directory}/staging",
            f"sourceRoots: [{bench.files.directory}]", "log: {level: warning}",
            "destinations:", "  sink:", *(f"    {key}: {value}" for key, value in keys.items()),
            f"notifier: {{ledger: {self.ledger}, allowNetworks: [127.0.0.0/8]}}",
            f"worker: {{concurrency: {JOBS_AT_ONCE}, parts: {PARTS_AT_ONCE}}}",
        ]
        if delegates:
            lines += ["delegates:", *(f"  {name}: {value}" for name, value in delegates.items())]
        self.configuration = self.directory / "upload.yaml"
        self.configuration.write_text("\n".join(lines) + "\n")
        self.configuration.chmod(0o600)  # it has keys in it

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _command(self, name: str, *arguments) -> list:
        return [self.bench.programs / name, *arguments]

    def _environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.directory), "LANG": "C.UTF-8"}

    def start(self, name: str, *arguments) -> Program:
        """Starts a program that runs until it is stopped, and waits until it is ready."""
        port = free_port()
        command = self._command(name, "--config", self.configuration, "--http", f"127.0.0.1:{port}", *arguments)
        program = Program(command, self.directory / f"{len(self.programs)}-{name}.log", self._environment())
        self.programs.append(program)
        wait_until(lambda: _is_ready(port) or not program.is_running, f"{name} to be ready", 120)
        if not program.is_running:
            raise Failed(f"{name} ended: {program.last_words()}")
        return program

    def start_notifier(self) -> Program:
        return self.start("upload-notifier")

    def start_worker(self, *arguments) -> Program:
        return self.start("upload-worker", *arguments)

    def enqueue(self, *arguments, to: str = "") -> Measured:
        """Runs enqueue-upload to its end."""
        command = self._command("enqueue-upload", "--config", self.configuration, "--to", f"sink:{to}", *arguments)
        return run(command, self.directory / "enqueue.log", self._environment())

    def declare(self):
        """Declares the queues, for rows that publish without enqueue-upload."""
        file = self.directory / "first"
        file.write_bytes(b"first")
        self.enqueue(file)

    def counts(self) -> dict[str, int]:
        """The number of jobs by status, read from the ledger's file, because the notifier's API would ask the broker each time."""
        try:
            with closing(sqlite3.connect(f"file:{self.ledger}?mode=ro", uri=True)) as ledger:
                return dict(ledger.execute("SELECT status, sum(jobs) FROM tallies GROUP BY status"))
        except sqlite3.OperationalError:  # not there yet
            return {}

    def wait_for_outcomes(self, count: int, seconds: float = 1800) -> float:
        """Returns when the ledger had them all (time.monotonic()).

        Raises Failed if a job did not complete.
        """
        def are_there() -> bool:
            counts = self.counts()
            others = {status: counts.get(status, 0) for status in ("failed", "cancelled") if counts.get(status)}
            if others:
                raise Failed(f"uploads ended otherwise than completed: {others}")
            return sum(counts.get(status, 0) for status in ENDED) >= count
        wait_until(are_there, f"{count} outcomes", seconds)
        return time.monotonic()

    def close(self):
        for program in reversed(self.programs):
            program.stop()
        command = self._command(
            "uploadctl", "topology", "delete", "--discard", "--yes", "--config", self.configuration)
        try:
            run(command, self.directory / "delete.log", self._environment())
        except Failed:
            # The broker keeps the queues of killed programs in use until it has noticed.
            time.sleep(2)
            try:
                run(command, self.directory / "delete.log", self._environment())
            except Failed as failure:
                say(f"  the queues of {self.namespace} stay: {failure}")
        shutil.rmtree(self.directory, ignore_errors=True)


def _is_ready(port: int) -> bool:
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/readyz")
        status = connection.getresponse().status
        connection.close()
        return status == 200
    except (OSError, http.client.HTTPException):
        return False
