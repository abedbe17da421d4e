import os
from pathlib import Path

from ..bench import ACCESS_KEY, JOBS_AT_ONCE, PART_MIB, PARTS_AT_ONCE, SECRET_KEY, Bench, free_port
from ..processes import Measured, Program, run, wait_until


def copy(bench: Bench, source: Path, key: str) -> Measured:
    """A directory's files go below the key."""
    verb = "copy" if source.is_dir() else "copyto"
    return run([
        bench.venv / "rclone", "--config", os.devnull, verb, source, f":s3:{bench.sink.bucket}/{key}",
        "--s3-provider", "Other", "--s3-endpoint", bench.sink.url, "--s3-env-auth", "--s3-no-check-bucket",
        "--s3-chunk-size", f"{PART_MIB}Mi", "--s3-upload-cutoff", f"{PART_MIB}Mi",
        "--s3-upload-concurrency", PARTS_AT_ONCE, "--transfers", JOBS_AT_ONCE, "--checkers", JOBS_AT_ONCE,
    ], bench.home / "rclone.log", bench.environment())


class S3Server:
    """`rclone serve s3`: a server that stores the uploaded files."""

    def __init__(self, bench: Bench):
        self.directory = bench.directory("rclone-serve")
        (self.directory / "data" / bench.sink.bucket).mkdir(parents=True)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.program = Program([
            bench.venv / "rclone", "--config", os.devnull, "serve", "s3", "--addr", f"127.0.0.1:{self.port}",
            "--auth-key", f"{ACCESS_KEY},{SECRET_KEY}", "--cache-dir", self.directory / "cache",
            "--vfs-cache-mode", "writes", "--vfs-write-back", "0s", self.directory / "data",
        ], self.directory / "rclone.log", bench.environment())
        wait_until(lambda: _listens(self.port), "rclone serve s3", 60)

    def stop(self):
        self.program.stop(10)


def _listens(port: int) -> bool:
    import socket
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
