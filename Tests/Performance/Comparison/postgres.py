"""A private PostgreSQL server."""

import subprocess
import threading
from collections import Counter
from pathlib import Path

PSQL = "/usr/lib/postgresql/15/bin/psql"


class Postgres:
    def __init__(self, root: Path, home: Path):
        self._command = root / "deploy/private-postgres"
        self._directory = home / "postgres"
        url = self._run("start").strip()
        password = (self._directory / "password").read_text().strip()
        self._base = url.replace("@", f":{password}@").rpartition("/")[0]

    def _run(self, verb: str) -> str:
        return subprocess.run(
            [self._command, verb, self._directory], check=True, stdout=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL).stdout

    @property
    def pid(self) -> int:
        return int((self._directory / "server.pid").read_text())

    def make_database(self, name: str) -> str:
        """Returns the URL of a new database."""
        with Session(f"{self._base}/postgres") as session:
            session.rows(f'CREATE DATABASE "{name}"')
        return f"{self._base}/{name}"

    def stop(self):
        self._run("stop")


class Session:
    """A connection that stays open; a query costs no new process."""

    def __init__(self, url: str):
        self._psql = subprocess.Popen(
            [PSQL, "-X", "-A", "-t", "-q", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._psql.stdin.close()
        self._psql.wait()

    def rows(self, sql: str) -> list[list[str]]:
        """The rows of the answer; none after an error."""
        self._psql.stdin.write(f"{sql};\n\\echo .\n")
        self._psql.stdin.flush()
        rows = []
        while (line := self._psql.stdout.readline().rstrip("\n")) not in (".", ""):
            rows.append(line.split("|"))
        return rows


class WaitWatch:
    """What the server's busy sessions in a database wait for, looked at many times a second (pg_stat_activity)."""

    # Programs that are to be told apart have names (application_name).
    _SQL = """SELECT coalesce(wait_event_type, 'running'), coalesce(wait_event, ''),
        wait_event_type = 'Lock' AND EXISTS (
            SELECT 1 FROM pg_stat_activity AS other
            WHERE other.pid = ANY (pg_blocking_pids(own.pid)) AND other.application_name <> own.application_name)
        FROM pg_stat_activity AS own WHERE state = 'active' AND datname = current_database()
        AND pid <> pg_backend_pid()""".replace("\n", " ")

    def __init__(self, url: str, interval: float = 0.02):
        self.counts: Counter[tuple[str, str]] = Counter()
        self._looks, self._waits_for_others = 0, 0
        self._url, self._interval = url, interval
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self):
        with Session(self._url) as session:
            while not self._done.wait(self._interval):
                for kind, event, is_for_other in session.rows(self._SQL):
                    self.counts[kind, event] += 1
                    self._looks += 1
                    self._waits_for_others += is_for_other == "t"

    def stop(self):
        self._done.set()
        self._thread.join()

    @property
    def waiting_for_others(self) -> float:
        """The share of the looks at a busy session in which it waited for a lock of another program."""
        return self._waits_for_others / self._looks if self._looks else 0
