"""A private RabbitMQ node."""

import subprocess
from pathlib import Path


class Broker:
    def __init__(self, root: Path, home: Path):
        self._command = root / "deploy/private-broker"
        self._directory = home / "broker"
        self.url = self._run("start").strip()

    def _run(self, *arguments: str) -> str:
        verb, *rest = arguments
        return subprocess.run(
            [self._command, verb, self._directory, *rest], check=True, stdout=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL).stdout

    @property
    def pid(self) -> int:
        return int((self._directory / "broker.pid").read_text())

    def queues(self) -> dict[str, int]:
        """The number of messages in each queue, delivered ones included."""
        lines = self._run("ctl", "-q", "list_queues", "--no-table-headers", "name", "messages").splitlines()
        return {name: int(count) for name, count in (line.split("\t") for line in lines if "\t" in line)}

    def version(self) -> str:
        return self._run("ctl", "version").strip()

    def stop(self):
        self._run("stop")
