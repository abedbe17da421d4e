/// The help text of each metric. It contains no quotation mark, backslash or line break, which the formats would have to escape.
enum PrometheusHelp {
    /// The texts by the label that the code uses.
    static let texts = [
        "process_cpu_seconds_total": "Processor time of the process, of the user and of the kernel.",
        "process_max_fds": "The most file descriptors that the process may have.",
        "process_open_fds": "File descriptors of the process.",
        "process_resident_memory_bytes": "Memory of the process that is not swapped out.",
        "process_start_time_seconds": "When the process began, since 1970.",
        "process_virtual_memory_bytes": "The address space of the process.",
        "upload_build_info": "1, with the version, the commit and the Swift of the program.",
        "upload_bytes_total": "Bytes sent to destinations.",
        "upload_clock_ahead_seconds": "Seconds that the clock is ahead of one that disagreed; 0 while none does.",
        "upload_circuit_state": "Circuit of a destination: 0 closed, 1 one job tries, 2 open.",
        "upload_delegate_backlog": "Outcomes that a delegate has not taken yet.",
        "upload_delegate_deliveries_total": "Deliveries to delegates, by outcome.",
        "upload_delegate_paused": "1 while a delegate is paused.",
        "upload_in_flight": "Slices that a worker carries at this moment.",
        "upload_jobs_total": "Jobs that ended, by outcome.",
        "upload_notifier_recorded_total": "Jobs and events that a notifier has recorded in the ledger.",
        "upload_notifier_shard_lag_seconds": "How far the record of a shard is behind what has happened.",
        "upload_queue_lag_seconds": "From when a job was enqueued, or was due, until a worker began it.",
        "upload_retries_total": "Attempts that failed and are made again, by error code.",
        "upload_seconds": "Time that workers spent on jobs that ended, without waiting.",
        "upload_slices_total": "Slices, by how they were settled.",
        "upload_staging_swept_total": "Staged copies that no job needed any more and that were removed.",
        "upload_swept_total": "Abandoned uploads that were removed at a destination.",
    ]
}
