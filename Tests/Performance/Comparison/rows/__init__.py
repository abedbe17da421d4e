"""One row of the table each: NUMBER, TITLE and run(bench), which returns its lines."""

from . import (
    enqueue_rate, first_byte, idle, large_file, limit, linearity, notifier_rate, small_files, takeover, worker_memory)

ALL = [
    limit, large_file, small_files, enqueue_rate, first_byte, worker_memory, takeover, linearity, notifier_rate, idle,
]
