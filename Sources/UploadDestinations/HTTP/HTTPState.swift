import Foundation
import Uploads

/// What another worker needs to continue a file in ranges: the job, and the known facts about the stored file.
struct HTTPState: Hashable, Sendable {
    /// The last range that the server took.
    struct Tail: Hashable, Sendable {
        var range: Range<Int64>
        var checksum: CRC64NVME
    }

    var job: String
    var size: Int64
    /// Bytes of every range except the last.
    var partBytes: Int64
    /// The position up to which the server holds the file's bytes, as long as the ETag is the same.
    var reached: Int64
    /// The position up to which bytes were sent and seen. It includes bytes that have to be compared again, because the ETag is missing
    /// or differs.
    var sent: Int64
    var etag: String?
    /// Ends at `sent`.
    var tail: Tail?

    init(_ job: UploadJob, partBytes: Int64) {
        self.job = job.id.rawValue
        size = job.size
        self.partBytes = partBytes
        reached = 0
        sent = 0
    }

    /// - Throws: `sessionExpired` for a payload that this driver cannot have written.
    init(_ state: UploadState) throws(UploadError) {
        let payload = state.payload
        guard state.driver == HTTPDestination.driverName, let job = payload["job"]?.string,
            let size = payload["size"]?.integer, (0...WireLimits.sizeMaximum).contains(size),
            let partBytes = state.partBytes, let reached = payload["reached"]?.integer, (0...size).contains(reached)
        else {
            throw UploadError(.sessionExpired, "the state of the upload cannot be read: it is begun anew")
        }
        self.job = job
        self.size = size
        self.partBytes = partBytes
        self.reached = reached
        sent = min(max(payload["sent"]?.integer ?? reached, reached), size)
        etag = payload["etag"]?.string
        if let start = payload["tailFrom"]?.integer, (0..<max(1, sent)).contains(start), sent > start,
            let value = payload["tailChecksum"]?.string.flatMap({ UInt64($0, radix: 16) })
        {
            tail = Tail(range: start..<sent, checksum: CRC64NVME(value))
        }
    }

    func belongs(to other: UploadJob) -> Bool { job == other.id.rawValue && size == other.size }

    /// Whether the stored file is unchanged. Apache gives a weak tag during the first second, and then the same tag as a strong one.
    func matches(_ other: String?) -> Bool {
        guard let etag, let other else { return false }
        return etag.trimmingPrefix("W/") == other.trimmingPrefix("W/")
    }

    var uploadState: UploadState {
        var payload: [String: JSONValue] = [
            "job": .string(job), "size": .integer(size), "partBytes": .integer(partBytes), "reached": .integer(reached),
        ]
        if sent > reached { payload["sent"] = .integer(sent) }
        if let etag { payload["etag"] = .string(etag) }
        if let tail {
            payload["tailFrom"] = .integer(tail.range.lowerBound)
            payload["tailChecksum"] = .string(tail.checksum.hexadecimal)
        }
        return UploadState(driver: HTTPDestination.driverName, payload: .object(payload))
    }
}
