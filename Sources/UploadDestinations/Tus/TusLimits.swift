import Foundation

/// Limits of this driver where the protocol sets none.
enum TusLimits {
    /// The most uploads that are concatenated to one; the state has to hold all their URLs.
    static let partialsMaximum = 64
    /// The most bytes that the URLs of these uploads may have together.
    static let partialURLBytesMaximum = 12 << 10
    /// Largest `Upload-Metadata` that is sent, in bytes; many servers refuse a longer header.
    static let metadataBytesMaximum = 8192
    /// Pauses before the client asks for a locked upload again, in seconds. After the last pause the job waits on the broker.
    static let lockedPauseSeconds: [TimeInterval] = [0.25, 0.5, 1, 2, 4]
}
