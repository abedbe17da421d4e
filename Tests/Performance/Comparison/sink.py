"""The S3 server that discards the bytes."""

import http.client
import json
import subprocess
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
        self.process = subprocess.Popen([home / "sink"], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        self.port = int(self.process.stdout.readline())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

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

    def log(self) -> list[Exchange]:
        """The last 65,536 exchanges, the oldest first."""
        return [Exchange(*json.loads(line)) for line in self._ask("GET", "log").splitlines()]

    def reset(self):
        self._ask("POST", "reset")

    def set_latency(self, milliseconds: float):
        self._ask("POST", f"latency?ms={milliseconds}")

    def stop(self):
        self.process.terminate()
        self.process.wait()
