public import Uploads

/// The known state of an upload at a moment.
public struct UploadUpdate: Sendable, Identifiable {
    public let id: JobID
    public var status: UploadStatus
    /// Bytes of the file that the destination holds.
    public var bytesDone: Int64
    /// Bytes of the file; 0 while ``isSizeKnown`` is false.
    public var bytesTotal: Int64
    /// False for an object at a destination that no worker has examined yet.
    public var isSizeKnown: Bool
    /// Average over the time of the last report; nil while no bytes are sent.
    public var bytesPerSecond: Double?

    public init(
        id: JobID, status: UploadStatus = .queued, bytesDone: Int64 = 0, bytesTotal: Int64,
        isSizeKnown: Bool = true, bytesPerSecond: Double? = nil
    ) {
        self.id = id
        self.status = status
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
        self.isSizeKnown = isSizeKnown
        self.bytesPerSecond = bytesPerSecond
    }

    init(_ job: UploadJob) {
        self.init(id: job.id, bytesTotal: job.size, isSizeKnown: job.isExamined)
    }

    /// 0 to 1; 1 for an empty file, 0 while the size is not known.
    public var fractionDone: Double {
        if !isSizeKnown { return 0 }
        return bytesTotal == 0 ? 1 : min(1, Double(bytesDone) / Double(bytesTotal))
    }

    /// Takes the size of an object from a job whose object was examined.
    mutating func learnSize(of job: UploadJob) {
        guard job.isExamined else { return }
        bytesTotal = job.size
        isSizeKnown = true
    }
}
