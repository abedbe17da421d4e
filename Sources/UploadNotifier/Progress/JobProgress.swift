public import Foundation

/// How far the upload of a running job is, as its worker told last.
public struct JobProgress: Codable, Hashable, Sendable {
    /// Bytes of the file that are at the destination or on their way.
    public var bytesDone: Int64
    /// Averaged over the last few reports.
    public var bytesPerSecond: Double
    /// When the worker told it, by its clock.
    public var at: Date

    public init(bytesDone: Int64, bytesPerSecond: Double, at: Date) {
        self.bytesDone = bytesDone
        self.bytesPerSecond = bytesPerSecond
        self.at = at
    }

    /// Until a file of this size is there, if it goes on like that; nil while nothing moves.
    public func secondsLeft(of size: Int64) -> Double? {
        bytesPerSecond >= 1 ? (Double(max(0, size - bytesDone)) / bytesPerSecond).rounded(.up) : nil
    }
}
