import Foundation

/// What the protocol leaves open, bounded.
enum TusLimits {
    /// Most uploads that are concatenated to one; all their URLs have to fit the state.
    static let partialsMaximum = 64
    /// Longest URLs of such uploads together, in bytes.
    static let partialURLBytesMaximum = 12 << 10
    /// Largest `Upload-Metadata` that is sent, in bytes; many servers take no longer header.
    static let metadataBytesMaximum = 8192
    /// Pauses before a locked upload is asked for again, in seconds. Then the job waits on the broker.
    static let lockedPauseSeconds: [TimeInterval] = [0.25, 0.5, 1, 2, 4]
}
