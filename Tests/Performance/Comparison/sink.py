"""The S3 server that discards the bytes."""

import http.client
import json
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Exchange(NamedTuple):
    """A request to the sink. Times are those of time.monotonic_ns(); 0 for a step that did not happen."""

    operation: str
    connection: int
    key: str
    part: int
    status: int
    bytes: int
    connected: int
    head: int
    first: int
    last: int
    answered: int

    @property
    def is_whole(self) -> bool:
        return self.answered > 0 and self.status < 300

    @property
    def has_body(self) -> bool:
        return self.operation in ("putObject", "uploadPart")


class Sink:
    bucket = "bench"

    def __init__(self, home: Path):
        self.certificate = home / "sink.pem"
        key = home / "sink.key"
        subprocess.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-out", self.certificate, "-keyout", key,
        ], check=True, capture_output=True)
        self.process = subprocess.Popen(
            [home / "sink", "--certificate", self.certificate, "--key", key], stdout=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL)
        self.port, self.tls_port = (int(self.process.stdout.readline()) for _ in range(2))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def tls_url(self) -> str:
        """The same server, whose certificate is its own authority."""
        return f"https://127.0.0.1:{self.tls_port}"

    @property
    def webhook(self) -> str:
        return f"{self.url}/-/webhook"

    def _ask(self, method: str, path: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, f"/-/{path}")
        body = connection.getresponse().read()
        connection.close()
        return body

    def stats(self) -> dict:
        return json.loads(self._ask("GET", "stats"))

    def cpu_seconds(self) -> float:
        return self.stats()["cpuSeconds"]

    def count(self, *operations: str) -> int:
        stats = self.stats()["operations"]
        return sum(stats[operation]["count"] for operation in operations)

    def objects(self) -> int:
        """The number of objects made since the last reset."""
        return self.count("putObject", "completeUpload")

    def waiting(self) -> int:
        """The number of requests whose answers wait for the latency to pass."""
        return self.stats()["waiting"]

    def log(self) -> list[Exchange]:
        """The last 262,144 exchanges, the oldest first."""
        return [Exchange(*json.loads(line)) for line in self._ask("GET", "log").splitlines()]

    def reset(self):
        self._ask("POST", "reset")

    @contextmanager
    def rate(self, per_second: int):
        """While it is entered, more requests to S3 in a second are refused."""
        self._ask("POST", f"rate?perSecond={per_second}")
        try:
            yield
        finally:
            self._ask("POST", "rate")

    @contextmanager
    def latency(self, milliseconds: float, knee: int = 0):
        """While it is entered, every answer to S3 waits so long.

        knee: beyond so many requests at once, the more there are, the fewer are answered in a second.
        """
        self._ask("POST", f"latency?ms={milliseconds}&knee={knee}")
        try:
            yield
        finally:
            self._ask("POST", "latency?ms=0")

    def refuse(self, status: int, code: str):
        """Answers every request to S3 with this status and error code."""
        self._ask("POST", f"refuse?status={status}&code={code}")

    def refuse_none(self):
        self._ask("POST", "refuse")

    def stop(self):
        self.process.terminate()
        self.process.wait()
