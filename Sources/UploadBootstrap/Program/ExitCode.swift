/// The exit statuses of the programs (after sysexits.h, where it has a fitting code).
public enum ExitCode: Int32, Sendable, CaseIterable {
    case done = 0
    /// An upload failed or was cancelled (`--wait`); a job refused an order; a check found something wrong.
    case uploadFailed = 1
    /// The command line is wrong.
    case usage = 64
    /// The input is invalid: a manifest line, two files with the same key.
    case badInput = 65
    /// There is no such file; the notifier knows no such job, queue, delegate or dead letter.
    case noInput = 66
    /// The broker or the notifier cannot be reached.
    case unavailable = 69
    /// An error in the program itself.
    case internalError = 70
    /// Reading or writing failed: a full disk, a broken device.
    case inputOutput = 74
    /// Access was denied: a file that the user may not read, a login that the broker refused.
    case refused = 77
    /// The configuration is wrong.
    case configuration = 78
    /// Stopped by Ctrl-C, SIGTERM or the end of the terminal (128 + SIGINT, as in shells).
    case interrupted = 130
}
