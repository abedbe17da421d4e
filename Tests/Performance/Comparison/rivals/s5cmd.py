from pathlib import Path

from ..bench import JOBS_AT_ONCE, PART_MIB, PARTS_AT_ONCE, Bench
from ..processes import Measured, run


def copy_as_it_comes(bench: Bench, source: str | Path, key: str) -> Measured:
    """With s5cmd's own defaults, over TLS."""
    return run(
        [bench.s5cmd, "--endpoint-url", bench.sink.tls_url, "--log", "error", "cp", source,
         f"s3://{bench.sink.bucket}/{key}"],
        bench.home / "s5cmd.log", bench.environment(AWS_CA_BUNDLE=str(bench.sink.certificate)))


def copy(bench: Bench, source: str | Path, key: str, endpoint: str | None = None) -> Measured:
    """source: a file, or a directory with / at its end."""
    return run([
        bench.s5cmd, "--endpoint-url", endpoint or bench.sink.url, "--numworkers", JOBS_AT_ONCE, "--log", "error",
        "cp", "--part-size", PART_MIB, "--concurrency", PARTS_AT_ONCE, source, f"s3://{bench.sink.bucket}/{key}",
    ], bench.home / "s5cmd.log", bench.environment())


def synchronize(bench: Bench, source: str | Path, key: str) -> Measured:
    """Copies the files of a directory that are not at the destination, have another size there or are newer."""
    return run([
        bench.s5cmd, "--endpoint-url", bench.sink.url, "--numworkers", JOBS_AT_ONCE, "--log", "error", "sync", source,
        f"s3://{bench.sink.bucket}/{key}",
    ], bench.home / "s5cmd.log", bench.environment())
