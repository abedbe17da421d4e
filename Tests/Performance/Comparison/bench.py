"""The means that every row gets."""

import os
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path

from .broker import Broker
from .files import Files
from .postgres import Postgres
from .sink import Sink

# The same for all contestants.
PART_MIB = 16
PARTS_AT_ONCE = 4
JOBS_AT_ONCE = 16
ACCESS_KEY, SECRET_KEY = "AKIDTEST", "secrettest"


@dataclass
class Bench:
    root: Path
    home: Path
    programs: Path
    runs: int
    is_quick: bool
    broker: Broker
    sink: Sink
    files: Files
    _postgres: Postgres | None = None
    _last: int = 0

    @property
    def venv(self) -> Path:
        return self.home / "venv/bin"

    @property
    def python(self) -> Path:
        return self.venv / "python"

    @property
    def package(self) -> Path:
        """The directory in which Python finds this package."""
        return self.root / "Tests/Performance"

    @property
    def s5cmd(self) -> Path:
        """The program itself. The script in Python beside it would be measured too."""
        return next(self.home.glob("venv/lib/*/site-packages/s5cmd/bin/s5cmd"))

    @property
    def build(self) -> str:
        kind = self.programs.resolve().name
        return {"release": "release build", "programs": "release build", "debug": "DEBUG BUILD: these figures say nothing"}.get(kind, kind)

    @property
    def postgres(self) -> Postgres:
        """Started when a row first needs it."""
        if not self._postgres:
            self._postgres = Postgres(self.root, self.home)
        return self._postgres

    def stop(self):
        self.sink.stop()
        self.broker.stop()
        if self._postgres:
            self._postgres.stop()

    def size(self, full: int, quick: int) -> int:
        return quick if self.is_quick else full

    def number(self) -> int:
        """A number that makes a name unique."""
        self._last += 1
        return self._last

    def directory(self, name: str) -> Path:
        """A new empty directory."""
        path = self.home / "work" / f"{self.number()}-{name}"
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of rivals that speak S3, without the user's own configuration."""
        return {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8",
            "AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull, "PYTHONDONTWRITEBYTECODE": "1",
        } | more


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
