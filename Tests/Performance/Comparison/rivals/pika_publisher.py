from pathlib import Path

from ..bench import Bench
from ..processes import run


def enqueue_seconds(bench: Bench, directory: Path) -> float:
    """The figures for all files of a directory, without the time for connecting."""
    measured = run(
        [bench.python, "-m", "Comparison.clients.pika_enqueue", bench.broker.url, f"pika-{bench.number()}", directory],
        bench.home / "pika.log", bench.environment(PYTHONPATH=str(bench.package)))
    began, ended = map(float, measured.output.split())
    return ended - began
