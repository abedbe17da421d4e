import Foundation
import Synchronization
import Uploads

/// A multipart upload: parts in any order, several at once. Any worker that knows the upload's id can continue it.
final class S3MultipartSession: UploadSession {
    /// A part as the bucket holds it.
    struct HeldPart: Hashable, Sendable {
        var etag: String
        /// The checksum in base64, from ListParts or the request; nil where neither has it.
        var checksum: String?
        /// The MD5 of the part's bytes in hexadecimal, where the ETag is known to be the MD5.
        var md5: String?
    }

    let plan: PartPlan

    /// The upload; its job gets the digests that become known.
    private let known: Mutex<S3Upload>
    private let current: S3State
    private let progress: Mutex<Progress>

    private struct Progress {
        private(set) var held: [Int: HeldPart]
        private(set) var proved = S3ProvedParts()
        private(set) var broken: Set<Int>
        /// As in the state.
        private(set) var isCopy: Bool?
        /// Whether the server has refused to copy a part: then the worker carries the others, too.
        var isCopyRefused = false
        var completed: CompletedUpload?

        init(held: [Int: HeldPart], _ state: S3State) {
            self.held = held
            broken = state.broken
            isCopy = state.isCopy
            extendProved()
        }

        mutating func take(_ part: HeldPart, _ number: Int, isCopy: Bool) {
            self.isCopy = isCopy && self.isCopy != false
            hold(part, number)
        }

        mutating func hold(_ part: HeldPart, _ number: Int) {
            held[number] = part
            broken.remove(number)
            update(number)
        }

        /// Drops a part that the server stored differently: a later list must not count it as held.
        mutating func drop(_ number: Int) {
            broken.insert(number)
            lose(number)
        }

        /// Drops a part whose listed bytes differ from the sent ones.
        mutating func lose(_ number: Int) {
            held[number] = nil
            update(number)
        }

        private mutating func update(_ number: Int) {
            if number <= proved.count { proved = S3ProvedParts() }
            extendProved()
        }

        private mutating func extendProved() {
            while let md5 = held[proved.count + 1]?.md5 { proved.append(md5) }
        }
    }

    init(_ upload: S3Upload, _ state: S3State, holding held: [Int: HeldPart]) {
        known = Mutex(upload)
        current = state
        plan = PartPlan(size: upload.target.job.size, partSize: state.partBytes)
        progress = Mutex(Progress(held: held, state))
    }

    private var upload: S3Upload { known.withLock { $0 } }
    private var etagMeaning: S3Configuration.ETagMeaning? { upload.target.configuration.etagMeaning }

    /// Resumes an upload with the parts that the bucket lists. A part whose size differs from the plan's is sent again.
    /// - Throws: `sessionExpired` when the upload is gone.
    convenience init(_ upload: S3Upload, resuming state: S3State) async throws(UploadError) {
        let plan = PartPlan(size: upload.target.job.size, partSize: state.partBytes)
        var held: [Int: HeldPart] = [:]
        for part in try await upload.client.allParts(of: state.uploadID, key: upload.target.key)
        where (1...plan.count).contains(part.number) {
            guard part.size == plan.part(part.number).size else { continue }
            guard !state.broken.contains(part.number) else { continue }
            held[part.number] = HeldPart(etag: part.etag, checksum: part.checksums[state.checksum])
        }
        // Parts that an earlier worker has proved count as proved if they still have the same ETags.
        let md5 = (1...max(1, state.proved.count)).compactMap { held[$0].flatMap { S3Evidence.md5($0.etag) } }
        var listed = S3ProvedParts()
        for md5 in md5 { listed.append(md5) }
        if listed == state.proved {
            for (index, md5) in md5.enumerated() { held[index + 1]?.md5 = md5 }
        }
        self.init(upload, state, holding: held)
    }

    var state: UploadState? {
        var state = current
        (state.proved, state.broken, state.isCopy) = progress.withLock { ($0.proved, $0.broken, $0.isCopy) }
        return state.uploadState
    }

    var missing: [Part] {
        let held = progress.withLock { $0.held }
        return plan.parts.filter { part in
            guard let held = held[part.number] else { return true }
            return etagMeaning == .md5 && held.md5 == nil
        }
    }

    /// Compares the listed checksums of the parts with the source's.
    func verify(against source: any UploadSource) async throws(UploadError) {
        for (number, part) in progress.withLock({ $0.held }) {
            if current.checksum == .crc64nvme, let listed = part.checksum,
                let known = try await source.checksum(of: plan.part(number).range),
                S3Digest.base64(known.hexadecimal) != listed
            {
                progress.withLock { $0.lose(number) }
            }
        }
    }

    /// Where ETags are MD5, reads and compares a listed part that no worker has proved.
    /// - Returns: whether it holds the bytes that were to be sent.
    private func proves(_ part: Part, _ source: any UploadSource) async throws(UploadError) -> Bool {
        guard let held = progress.withLock({ $0.held[part.number] }) else { return false }
        let md5 = try await S3Digest.md5(of: part, from: source)
        let isProved = S3Evidence(held.etag, expected: md5, meaning: .md5) == .proved
        progress.withLock { progress in
            guard isProved else { return progress.lose(part.number) }
            progress.hold(HeldPart(etag: held.etag, checksum: held.checksum, md5: md5), part.number)
        }
        return isProved
    }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        if try await proves(part, source) { return }
        if try await copies(part, source) { return }
        let prepared = try await S3Digest.of(
            part, from: source, upload.target, algorithm: current.checksum, keeping: upload.client.kept)
        let takesMD5 = upload.client.takesMD5(of: "UploadPart")
        // The checksum is for the server to compare, and no digest is taken of the bytes on their way.
        let isCheckedThere = prepared.digest.checksum != nil && !takesMD5
        let file =
            isCheckedThere && upload.client.sendsFile(of: part.size) ? try await source.fileRange(part.range) : nil
        let body = HTTPBody(source: prepared.bytes, size: part.size, takesMD5: takesMD5, file: file, sent: sent)
        do throws(UploadError) {
            let held = try await upload.send(part, body, prepared.digest, to: current)
            progress.withLock { $0.take(held, part.number, isCopy: false) }
        } catch {
            if error.code == .checksumMismatch { progress.withLock { $0.drop(part.number) } }
            throw error
        }
    }

    /// Has the server copy a part from the source object.
    /// - Returns: whether it did.
    private func copies(_ part: Part, _ source: any UploadSource) async throws(UploadError) -> Bool {
        guard !progress.withLock({ $0.isCopyRefused }), let origin = S3CopySource(source, for: upload) else {
            return false
        }
        let expected = try await source.checksum(of: part.range)
        do throws(UploadError) {
            if try await upload.canCopyParts(of: origin),
                let held = try await upload.copy(part, from: source, origin, to: current, expecting: expected)
            {
                progress.withLock { $0.take(held, part.number, isCopy: true) }
                return true
            }
        } catch {
            // A server that breaks off a copy may yet take the bytes.
            if error.code == .networkFailure { progress.withLock { $0.isCopyRefused = true } }
            throw error
        }
        progress.withLock { $0.isCopyRefused = true }
        return false
    }

    func note(_ digests: Digests) { known.withLock { $0.target.job.digests = digests } }

    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        let (held, completed) = progress.withLock { ($0.held, $0.completed) }
        if let completed { return completed }
        try checkWhole(held)
        let parts = held.sorted { $0.key < $1.key }.map { number, part in
            S3PartsToComplete.Part(
                number: number, etag: part.etag, crc32c: current.checksum == .crc32c ? part.checksum : nil,
                sha256: current.checksum == .sha256 ? part.checksum : nil)
        }
        let md5 = plan.parts.compactMap { held[$0.number]?.md5 }
        let composite = md5.count == plan.count ? S3Evidence.composite(md5) : nil
        let written = try await upload.conditionally(condition, .completion) { condition async throws(UploadError) in
            switch try await self.upload.complete(S3PartsToComplete(parts: parts), self.current, condition) {
            case .success(let reply): return .made(try self.upload.made(reply, md5: composite))
            case .failure(let failure):
                if failure.code == "ConditionalRequestConflict" {
                    // After this conflict an upload cannot be completed any more ("Conditional writes", Amazon S3 User Guide).
                    try await self.upload.abort(self.current)
                } else if !failure.saysUploadIsGone {
                    return .refused(failure)
                }
                throw self.upload.gone
            }
        }
        var new = try await upload.checked(written)
        new.object.isServerSideCopy = progress.withLock { $0.isCopy } == true
        progress.withLock { $0.completed = new }
        return new
    }

    func close() async {}

    /// Checks that the parts make up the staged file, as far as their checksums are known: not every server compares the whole.
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
