from pathlib import Path

from ..bench import JOBS_AT_ONCE, PART_MIB, PARTS_AT_ONCE, Bench
from ..processes import Measured, run


def copy(bench: Bench, source: Path, key: str, transfer: str = "classic") -> Measured:
    """A file, or a directory's files below the key.

    transfer: `classic`, or `crt` for the AWS Common Runtime.
    """
    return run([
        bench.python, "-m", "Comparison.clients.boto_copy", "--endpoint", bench.sink.url,
        "--bucket", bench.sink.bucket, "--transfer", transfer, "--part-mib", PART_MIB, "--parts", PARTS_AT_ONCE,
        "--jobs", JOBS_AT_ONCE, source, key,
    ], bench.home / "boto.log", bench.environment(PYTHONPATH=str(bench.package)))
