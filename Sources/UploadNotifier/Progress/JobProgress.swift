public import Foundation

/// How far the upload of a running job is, by its worker's last report.
public struct JobProgress: Codable, Hashable, Sendable {
    /// Bytes of the file that are at the destination or under way.
    public var bytesDone: Int64
    /// Averaged over the last few reports.
    public var bytesPerSecond: Double
    /// Bytes of every part but the last; nil where the worker does not say.
    public var partBytes: Int64?
    /// When the worker made the report, by its clock.
    public var at: Date

    public init(bytesDone: Int64, bytesPerSecond: Double, partBytes: Int64? = nil, at: Date) {
        self.bytesDone = bytesDone
        self.bytesPerSecond = bytesPerSecond
        self.partBytes = partBytes
        self.at = at
    }

    /// Seconds until a file of this size is complete, at the present rate; nil while nothing moves.
    public func secondsLeft(of size: Int64) -> Double? {
        bytesPerSecond >= 1 ? (Double(max(0, size - bytesDone)) / bytesPerSecond).rounded(.up) : nil
    }
}
