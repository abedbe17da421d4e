"""A whole Longshore: a namespace of its own on the broker, a staging area, a ledger, the programs that a row starts."""

import http.client
import json
import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from .bench import ACCESS_KEY, JOBS_AT_ONCE, PART_MIB, PARTS_AT_ONCE, SECRET_KEY, Bench, free_port
from .measure import say
from .postgres import Session
from .processes import Failed, Measured, Program, run, wait_until

ENDED = ("completed", "failed", "cancelled")


class Pool:
    def __init__(self, bench: Bench, endpoint: str | None = None, delegates: dict[str, str] | None = None,
                 destination: dict[str, str] | None = None, is_postgres: bool = False, shards: int = 1, stage: str | None = None,
                 worker: str | None = f"{{concurrency: {JOBS_AT_ONCE}, parts: {PARTS_AT_ONCE}}}"):
        """endpoint: another S3 server than the sink. destination: further keys of it. delegates: by name. In YAML.

        worker: the settings of workers, in YAML; None for the defaults.

        stage: the S3 server whose bucket has the staging area; None for a directory.

        is_postgres: the ledger is a database of its own on the private PostgreSQL server.
        """
        self.bench = bench
        self.directory = bench.directory("pool")
        self.namespace = f"bench-{os.getpid()}-{bench.number()}"
        self.shards = shards
        self.programs: list[Program] = []
        self._ports: dict[int, int] = {}
        self.ledger = self.directory / "ledger.sqlite"
        self.database = bench.postgres.make_database(self.namespace) if is_postgres else None
        self._session = Session(self.database) if self.database else None
        keys = {
            "driver": "s3", "endpoint": endpoint or bench.sink.url, "region": "us-east-1", "bucket": bench.sink.bucket,
            "accessKeyId": ACCESS_KEY, "secretAccessKey": SECRET_KEY, "partSize": f"{PART_MIB}MiB",
        } | (destination or {})
        lines = [
            f"broker: {bench.broker.url}", f"namespace: {self.namespace}", f"shards: {shards}", f"staging: {'stage:copies/' if stage else f'{self.directory}/staging'}",
            f"sourceRoots: [{bench.files.directory}]", "log: {level: warning}",
            "destinations:", "  sink:", *(f"    {key}: {value}" for key, value in keys.items()),
            f"notifier: {{ledger: '{self.database or self.ledger}', allowNetworks: [127.0.0.0/8]}}",
        ]
        if stage:
            at = lines.index("destinations:") + 1
            lines[at:at] = ["  stage:", *(f"    {key}: {value}" for key, value in (keys | {"endpoint": stage}).items())]
        if worker:
            lines.append(f"worker: {worker}")
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
        program, port = self._launch(name, *arguments)
        self._wait_until_ready(program, port)
        return program

    def _launch(self, name: str, *arguments) -> tuple[Program, int]:
        port = free_port()
        command = self._command(name, "--config", self.configuration, "--http", f"127.0.0.1:{port}", *arguments)
        program = Program(command, self.directory / f"{len(self.programs)}-{name}.log", self._environment())
        self.programs.append(program)
        self._ports[program.pid] = port
        return program, port

    @staticmethod
    def _wait_until_ready(program: Program, port: int):
        name = Path(str(program.command[0])).name
        wait_until(lambda: _is_ready(port) or not program.is_running, f"{name} to be ready", 120)
        if not program.is_running:
            raise Failed(f"{name} ended: {program.last_words()}")

    def start_notifier(self) -> Program:
        return self.start("upload-notifier")

    def start_notifiers(self, count: int) -> list[Program]:
        """Starts notifiers with one ledger, and waits until they have divided the shards among themselves."""
        names = [["--ledger", f"{self.database}?application_name=notifier-{number}"] if self.database else []
                 for number in range(count)]
        started = [self._launch("upload-notifier", *name) for name in names]
        for program, port in started:
            self._wait_until_ready(program, port)
        if self._session:
            sql = "SELECT count(*) FROM longshore.shards WHERE held_until > now() GROUP BY holder"
            wanted = [[str(self.shards // count)]] * count
            wait_until(lambda: self._session.rows(sql) == wanted, "the notifiers to divide the shards", 60)
        return [program for program, _ in started]

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
        """The number of jobs by status, read from the ledger itself, because the notifier's API would ask the broker each time."""
        if self._session:
            rows = self._session.rows("SELECT status, sum(jobs) FROM longshore.tallies GROUP BY status")
            return {status: int(count) for status, count in rows}
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

    def event_count(self, kind: str) -> int:
        """The number of recorded events of a kind, in a ledger of SQLite."""
        with closing(sqlite3.connect(f"file:{self.ledger}?mode=ro", uri=True)) as ledger:
            return ledger.execute("SELECT count(*) FROM events WHERE kind = ?", [kind]).fetchone()[0]

    def events(self, notifier: Program, kind: str, count: int) -> list[dict]:
        """The first recorded events of a kind, from the notifier's API."""
        connection = http.client.HTTPConnection("127.0.0.1", self._ports[notifier.pid], timeout=60)
        connection.request("GET", f"/v1/events?kind={kind}", headers={"Last-Event-ID": "0"})
        answer, events = connection.getresponse(), []
        while len(events) < count:
            line = answer.readline()
            if not line:
                raise Failed(f"the notifier ended its stream of events after {len(events)} of {count}")
            if line.startswith(b"data:"):
                events.append(json.loads(line[5:]))
        connection.close()
        return events

    def close(self):
        for program in reversed(self.programs):
            program.stop()
        if self._session:
            self._session.__exit__()
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
