import Uploads

/// A source whose bytes are in the job itself.
struct InlineSource: UploadSource {
    private let bytes: [UInt8]

    /// - Throws: `sourceChanged` when the bytes have another size or other digests than the job names.
    init(_ bytes: [UInt8], for job: UploadJob) throws(UploadError) {
        let digests = Digests(of: bytes, sha256: job.digests.sha256 != nil)
        guard Int64(bytes.count) == job.size, !digests.contradicts(job.digests) else {
            throw UploadError(
                .sourceChanged, "the job's inline data has not the size and digests that the job says: enqueue it again"
            )
        }
        self.bytes = bytes
    }

    var size: Int64 { Int64(bytes.count) }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        let range = range.clamped(to: 0..<size)
        return SourceBuffers { number in
            number == 0 && !range.isEmpty ? [UInt8](bytes[Int(range.lowerBound)..<Int(range.upperBound)]) : nil
        }
    }

    func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
        let range = range.clamped(to: 0..<size)
        return CRC64NVME(of: bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    func verifyUnchanged() async throws(UploadError) {}

    func close() async {}
}
