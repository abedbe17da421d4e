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
        let whole = checksum
        try await Blocking.run { [record] () throws(UploadError) in
            do throws(SystemError) {
                try record.add(part, whole, writtenSince: mark)
            } catch {
                throw UploadError(directory: error)
            }
        }
    }

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
