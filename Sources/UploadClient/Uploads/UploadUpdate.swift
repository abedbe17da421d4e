public import Uploads

/// What is known of an upload at a moment.
public struct UploadUpdate: Sendable, Identifiable {
    public let id: JobID
    public var status: UploadStatus
    /// Bytes of the file that the destination holds.
    public var bytesDone: Int64
    /// Bytes of the file.
    public var bytesTotal: Int64
    /// Over the last report's time; nil while nothing is sent.
    public var bytesPerSecond: Double?

    public init(
        id: JobID, status: UploadStatus = .queued, bytesDone: Int64 = 0, bytesTotal: Int64,
        bytesPerSecond: Double? = nil
    ) {
        self.id = id
        self.status = status
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
        self.bytesPerSecond = bytesPerSecond
    }

    /// 0 to 1; 1 for an empty file.
    public var fractionDone: Double { bytesTotal == 0 ? 1 : min(1, Double(bytesDone) / Double(bytesTotal)) }
}
