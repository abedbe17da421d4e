import Crypto
import Uploads

/// Compares the object at a destination with the enqueued file: each block with the source's block, the whole with the job's digests.
///
/// The blocks make it possible to stop anywhere and to go on elsewhere, and show a broken object early. A SHA-256 cannot be
/// continued elsewhere, so it is computed only where one slice reads the whole object.
struct ReadBackComparison: Sendable {
    let job: UploadJob
    /// nil if the source is gone: then only the job's own digests are compared.
    let source: (any UploadSource)?
    let begin: ReadBack
    /// Called after each block.
    let reached: @Sendable (ReadBack) -> Void

    private var displayText: String { job.destination.displayText }

    /// - Throws: `checksumMismatch`; the errors of the destination and of the source.
    func run(at destination: any ReadableDestination, pace: TransferPace?) async throws(UploadError) {
        let progress = Progress(comparison: self)
        // Each short answer of a server costs another request, so their number is limited.
        var answersLeft = 16 + job.size / (64 << 10)
        var next: Int64? = begin.bytes < job.size || job.size == 0 ? begin.bytes : nil
        while let offset = next {
            try await destination.read(begin.object, of: job, from: offset) { buffer async throws(UploadError) in
                do { try await pace?.bytes.take(Double(buffer.count)) } catch {
                    throw UploadError(.cancelled, "the reading was cancelled while it waited for its turn")
                }
                try await progress.take(buffer)
            }
            // An answer may end before the object does. If the next answer brings nothing, the object ends there.
            let reached = await progress.offset
            answersLeft -= 1
            next = reached > offset && reached < job.size && answersLeft > 0 ? reached : nil
        }
        try await progress.finish()
    }

    fileprivate func mismatch(_ what: String) -> UploadError {
        UploadError(
            .checksumMismatch, "\(displayText) was read back and \(what): it is uploaded again")
    }

    /// The checksum of the source's bytes in the range; nil where the source is gone.
    fileprivate func expected(_ range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
        try await source?.checksumReading(range)
    }

    /// Takes one buffer after the other, never two at once.
    private actor Progress {
        private let comparison: ReadBackComparison
        private var readBack: ReadBack
        private var whole: CRC64NVME
        private var block = CRC64NVME()
        private(set) var offset: Int64
        private var sha256: SHA256?

        init(comparison: ReadBackComparison) {
            self.comparison = comparison
            readBack = comparison.begin
            whole = CRC64NVME(UInt64(comparison.begin.checksum, radix: 16) ?? 0)
            offset = comparison.begin.bytes
            if offset == 0, comparison.job.digests.sha256 != nil { sha256 = SHA256() }
        }

        func take(_ buffer: [UInt8]) async throws(UploadError) {
            let size = comparison.job.size
            guard Int64(buffer.count) <= size - offset else {
                throw comparison.mismatch("is longer than the \(size) bytes that were enqueued")
            }
            sha256?.update(data: buffer)
            var rest = buffer[...]
            while !rest.isEmpty {
                let end = min(size, readBack.bytes + PartPlan.blockBytes)
                let piece = rest.prefix(Int(min(end - offset, Int64(rest.count))))
                block.update(piece)
                offset += Int64(piece.count)
                rest = rest.dropFirst(piece.count)
                if offset == end { try await endBlock() }
            }
        }

        private func endBlock() async throws(UploadError) {
            let range = readBack.bytes..<offset
            if let expected = try await comparison.expected(range), expected != block {
                throw comparison.mismatch(
                    "differs from what was enqueued between bytes \(range.lowerBound) and \(offset)")
            }
            whole.append(block, count: Int64(range.count))
            block = CRC64NVME()
            readBack.bytes = offset
            readBack.checksum = whole.hexadecimal
            comparison.reached(readBack)
        }

        func finish() throws(UploadError) {
            let job = comparison.job
            guard offset == job.size else {
                throw comparison.mismatch("has \(offset) bytes instead of \(job.size)")
            }
            let found = Digests(
                sha256: sha256.map { Hexadecimal.text(of: $0.finalize()) }, crc64nvme: whole.hexadecimal)
            guard !found.contradicts(job.digests) else {
                throw comparison.mismatch("has another checksum than what was enqueued")
            }
            guard comparison.source != nil || found.confirms(job.digests) else {
                throw UploadError(
                    .invalidFile,
                    "\(comparison.displayText) was uploaded, but nothing is left to compare it with: its source is gone"
                )
            }
        }
    }
}
