import Foundation
import Synchronization
import Uploads

/// A multipart upload: parts in any order, several at once, from whoever holds its id.
final class S3MultipartSession: UploadSession {
    /// A part as the bucket holds it.
    struct HeldPart: Hashable, Sendable {
        var etag: String
        /// In base64, as ListParts or the request said it; nil where nobody said one.
        var checksum: String?
    }

    let plan: PartPlan

    private let upload: S3Upload
    private let current: S3State
    private let progress: Mutex<Progress>

    private struct Progress {
        var held: [Int: HeldPart]
        var completed: CompletedUpload?
    }

    init(_ upload: S3Upload, _ state: S3State, holding held: [Int: HeldPart]) {
        self.upload = upload
        current = state
        plan = PartPlan(size: upload.target.job.size, partSize: state.partBytes)
        progress = Mutex(Progress(held: held))
    }

    /// Takes up an upload with the parts that the bucket lists. One of another size than the plan's is sent again.
    /// - Throws: `sessionExpired` when it is gone.
    convenience init(_ upload: S3Upload, resuming state: S3State) async throws(UploadError) {
        let plan = PartPlan(size: upload.target.job.size, partSize: state.partBytes)
        var held: [Int: HeldPart] = [:]
        var marker: Int?
        repeat {
            let page = try await upload.parts(of: state, after: marker)
            for part in page.parts ?? [] where (1...plan.count).contains(part.number) {
                guard part.size == plan.part(part.number).size else { continue }
                held[part.number] = HeldPart(etag: part.etag, checksum: part.checksum(state.checksum))
            }
            let last = page.nextMarker ?? page.parts?.last?.number
            // A server that does not move on would keep us here for ever.
            guard page.isTruncated == true, let last, last > marker ?? 0 else { break }
            marker = last
        } while true
        self.init(upload, state, holding: held)
    }

    var state: UploadState? { current.uploadState }

    var missing: [Part] {
        let held = progress.withLock { $0.held }
        return plan.parts.filter { held[$0.number] == nil }
    }

    func verify(against source: any UploadSource) async throws(UploadError) {
        guard current.checksum == .crc64nvme else { return }
        let held = progress.withLock { $0.held }
        for (number, part) in held {
            guard let listed = part.checksum,
                let known = try await source.checksum(of: plan.part(number).range),
                S3Digest.base64(known.hexadecimal) != listed
            else { continue }
            progress.withLock { $0.held[number] = nil }
        }
    }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        let digest = try await S3Digest.of(part, from: source, upload.target, algorithm: current.checksum)
        let body = HTTPBody(source: source.read(part.range), size: part.size, sent: sent)
        let etag = try await upload.send(part, body, digest, to: current)
        progress.withLock { $0.held[part.number] = HeldPart(etag: etag, checksum: digest.checksum) }
    }

    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        let (held, completed) = progress.withLock { ($0.held, $0.completed) }
        if let completed { return completed }
        try checkWhole(held)
        let parts = held.sorted { $0.key < $1.key }.map { number, part in
            S3PartsToComplete.Part(
                number: number, etag: part.etag, crc32c: current.checksum == .crc32c ? part.checksum : nil,
                sha256: current.checksum == .sha256 ? part.checksum : nil)
        }
        let reply = try await upload.conditionally(condition) { condition async throws(UploadError) in
            let answer = try await self.upload.complete(S3PartsToComplete(parts: parts), self.current, condition)
            guard case .failure(let failure) = answer else { return answer }
            if failure.code == "ConditionalRequestConflict" {
                // Such an upload cannot be completed any more ("Conditional writes", Amazon S3 User Guide).
                try await self.upload.abort(self.current)
            } else if !failure.saysUploadIsGone {
                return answer
            }
            throw self.upload.gone
        }
        let new = try await upload.checked(reply)
        progress.withLock { $0.completed = new }
        return new
    }

    func close() async {}

    /// The parts must make the file that was staged, as far as their checksums are known: not every server compares the whole.
    private func checkWhole(_ held: [Int: HeldPart]) throws(UploadError) {
        guard current.checksum == .crc64nvme, let expected = upload.target.job.digests.crc64nvme else { return }
        var whole = CRC64NVME()
        for part in plan.parts {
            guard let checksum = held[part.number]?.checksum, let data = Data(base64Encoded: checksum), data.count == 8
            else { return }
            whole.append(CRC64NVME(data.reduce(0) { $0 << 8 | UInt64($1) }), count: part.size)
        }
        guard whole.hexadecimal == expected else {
            throw UploadError(
                .checksumMismatch,
                "the parts at \(upload.location) are not the file that was enqueued: it is begun anew")
        }
    }
}
