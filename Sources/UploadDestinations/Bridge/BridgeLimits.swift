import Foundation

/// Limits that Bridge sets, and limits of this driver where Bridge sets none.
enum BridgeLimits {
    /// Largest file, in bytes ("UploadValidator").
    static let fileBytesMaximum: Int64 = 50_000_000
    /// Seconds after a failed sign-in without another one, so that fifty waiting jobs do not try it fifty times.
    static let signInPauseSeconds: TimeInterval = 5
    /// Seconds that a job waits when Bridge no longer supports the app's version (410): the operator has to change something.
    static let holdSeconds: TimeInterval = 3600
    /// Longest session token, in bytes.
    static let tokenBytesMaximum = 4096
}
