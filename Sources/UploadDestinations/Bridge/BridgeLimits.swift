import Foundation

/// What Bridge allows, and what it leaves open.
enum BridgeLimits {
    /// Largest file, in bytes ("UploadValidator").
    static let fileBytesMaximum: Int64 = 50_000_000
    /// How long nobody signs in after that failed, in seconds: fifty jobs that wait do not try it fifty times.
    static let signInPauseSeconds: TimeInterval = 5
    /// How long a job waits when Bridge knows the app's version no more (410), in seconds: until somebody changes something.
    static let holdSeconds: TimeInterval = 3600
    /// Longest token of a session, in bytes.
    static let tokenBytesMaximum = 4096
}
