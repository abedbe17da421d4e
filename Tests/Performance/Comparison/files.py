"""The files to upload; made once and kept."""

import os
from pathlib import Path

MIB = 1 << 20
GIB = 1 << 30


class Files:
    def __init__(self, home: Path):
        self.directory = home / "files"
        self.directory.mkdir(parents=True, exist_ok=True)

    def large(self, size: int) -> Path:
        """A large file: not sparse, and read once, so that it is in the page cache for all contestants alike."""
        path = self.directory / f"large-{size}"
        if not path.exists() or path.stat().st_size != size:
            block = os.urandom(16 * MIB)
            with open(path, "wb") as file:
                for offset in range(0, size, len(block)):
                    file.write(block[: size - offset])
        with open(path, "rb", buffering=0) as file:
            while file.read(4 * MIB):
                pass
        return path

    def sparse(self, size: int) -> Path:
        path = self.directory / f"sparse-{size}"
        with open(path, "ab") as file:
            file.truncate(size)
        return path

    def small(self, count: int, size: int = 4096) -> Path:
        """A directory with the given number of files, all different."""
        directory = self.directory / f"small-{count}-{size}"
        if not directory.exists():
            unfinished = directory.with_suffix(".unfinished")
            unfinished.mkdir(exist_ok=True)
            for number in range(count):
                (unfinished / f"{number:06}.bin").write_bytes(os.urandom(size))
            unfinished.rename(directory)
        return directory
