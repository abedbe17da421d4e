"""One row of the table each: NUMBER, TITLE and run(bench), which returns its lines."""

from . import (
    bucket_staging, changed_files, distant_file, distant_server, enqueue_rate, file_in_place, first_byte, idle, jobs_at_once,
    large_file, limit, linearity, lost_worker, moved_file, notifier_rate, retry_storm, server_side_copy, small_files, staged_files, takeover,
    worker_memory)

ALL = [
    limit, large_file, small_files, enqueue_rate, first_byte, worker_memory, takeover, linearity, notifier_rate, idle,
    staged_files, distant_server, lost_worker, retry_storm, jobs_at_once,
    file_in_place, distant_file, moved_file, changed_files, bucket_staging, server_side_copy,
]
