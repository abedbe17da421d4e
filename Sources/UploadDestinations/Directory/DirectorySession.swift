import Foundation
import LinuxFiles
import Synchronization
import Uploads

/// Writes parts into an unfinished file, each at its place, several at once.
final class DirectorySession: UploadSession {
    let plan: PartPlan

    private let place: DirectoryPlace
    private let record: DirectoryRecord

    init(_ place: DirectoryPlace, _ record: DirectoryRecord) {
        self.place = place
        self.record = record
        self.plan = record.plan
    }

    var state: UploadState? { record.state }

    var missing: [Part] {
        let held = record.held
        return plan.parts.filter { held[$0.number] == nil }
    }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        let mark = record.flushMark
        if try await copies(part, from: source) { return try await add(part, .copied, writtenSince: mark) }
        var offset = part.range.lowerBound
        var checksum = CRC64NVME()
        do {
            for try await buffer in source.read(part.range) {
                try checkCancellation()
                guard Int64(buffer.count) <= part.range.upperBound - offset else { throw wrongSize(part) }
                let (start, before) = (offset, checksum)
                checksum = try await Blocking.run { [record] () throws(UploadError) in
                    try Self.write(buffer, at: start, to: record.object, after: before)
                }
                offset += Int64(buffer.count)
                sent(buffer.count)
            }
        } catch let error as UploadError {
            throw error
        } catch {
            throw UploadError(.invalidFile, "the source of \(place.path) cannot be read", cause: error)
        }
        guard offset == part.range.upperBound else { throw wrongSize(part) }
        try checkCancellation()
        try await add(part, .written(checksum), writtenSince: mark)
    }

    private func add(
        _ part: Part, _ held: DirectoryRecord.HeldPart, writtenSince mark: Int
    ) async throws(UploadError) {
        try await Blocking.run { [record] () throws(UploadError) in
            do throws(SystemError) {
                try record.add(part, held, writtenSince: mark)
            } catch {
                throw UploadError(directory: error)
            }
        }
    }

    /// Has the kernel copy a part from a file of another directory: where the file system can, both files share the blocks then.
    /// - Returns: whether it did. A job with digests is carried: they are compared with the bytes that pass.
    private func copies(_ part: Part, from source: any UploadSource) async throws(UploadError) -> Bool {
        guard place.target.job.digests == Digests(), let found = source.sourceObject,
            let origin = found.origin as? DirectoryDestination
        else { return false }
        var offset = part.range.lowerBound
        while offset < part.range.upperBound {
            try checkCancellation()
            let piece = offset..<min(offset + Self.copiedBytes, part.range.upperBound)
            guard let copied = try await origin.copy(piece, of: found, to: record.object) else { return false }
            offset += copied
        }
        return true
    }

    /// Bytes that the kernel copies between two looks at whether the upload was interrupted.
    private static let copiedBytes: Int64 = 64 << 20

    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        try await Blocking.run { [place, record] () throws(UploadError) in
            try DirectoryCompletion(place: place, record: record).run(condition)
        }
    }

    /// The files are closed when the session is released, after its last write.
    func close() async {}

    private static func write(
        _ buffer: any SourceBuffer, at offset: Int64, to object: File, after checksum: CRC64NVME
    ) throws(UploadError) -> CRC64NVME {
        var checksum = checksum
        var problem: SystemError?
        buffer.withUnsafeBytes { bytes in
            do throws(SystemError) { try object.write(bytes, at: offset) } catch { problem = error }
            checksum.update(bytes)
        }
        if let problem { throw UploadError(directory: problem) }
        return checksum
    }

    private func checkCancellation() throws(UploadError) {
        if Task.isCancelled { throw UploadError(.interrupted, "the upload to \(place.path) was interrupted") }
    }

    private func wrongSize(_ part: Part) -> UploadError {
        UploadError(
            .sourceChanged,
            "the source of \(place.path) has not the \(part.size) bytes of part \(part.number): enqueue it again")
    }
}
