import Crypto
import Foundation
import NIOHTTP1
import Uploads

/// Tries with a small object and one of two parts what a server and these credentials can do. One task runs the survey.
final class S3Survey {
    typealias Tell = @Sendable (SurveyFinding) -> Void
    typealias Outcome = (answer: SurveyFinding.Answer, detail: String)

    static let smallBytes = 1 << 10
    /// Bytes of both parts; the first has the smallest size that the driver uses for parts.
    static let largeBytes = Int(PartPlan.blockBytes) + smallBytes

    let client: S3Client
    let tell: Tell
    var measured = S3Measurements()

    private let name: DestinationName
    private let prefix: String
    /// Keys that were written, or may have been, with their versions where the bucket keeps versions.
    private var written: [String: [String]] = [:]
    /// Uploads that were begun and not completed.
    private var open: [Begun] = []

    private struct Begun: Sendable {
        let upload: S3Upload
        let state: S3State
    }

    /// - Parameter prefix: the prefix of the survey's keys, below the destination's own prefix.
    init(_ client: S3Client, _ name: DestinationName, below prefix: String, tell: @escaping Tell) {
        self.client = client
        self.name = name
        self.prefix = prefix
        self.tell = tell
    }

    func run() async {
        if await tryWriting() {
            await tryReading()
            await tryListing()
            await tryCopying()
            await tryConditions()
            await tryWrongChecksum()
            await tryParts()
            await tryAborting()
        }
        await removeAll()
        await tryRules()
    }

    // MARK: Tools

    /// Reports the result of a body; an error means that the ability is missing.
    /// - Parameter right: the right that the credentials lack if the server refuses them.
    /// - Returns: whether the body did not fail.
    @discardableResult
    func attempt(
        _ ability: String, right: String, isNeeded: Bool = false, _ body: () async throws(UploadError) -> Outcome
    ) async -> Bool {
        guard !Task.isCancelled else { return false }
        do throws(UploadError) {
            let outcome = try await body()
            tell(
                SurveyFinding(
                    ability, outcome.answer, outcome.detail, isNeeded: isNeeded && outcome.answer != .unknown))
            return true
        } catch {
            let isRefused = error.code == .accessDenied
            // A 4xx answer says what is wrong with the request, except 408 and 429, which ask for patience.
            let isAnswered = error.response.map { (400..<500).contains($0.status) && ![408, 429].contains($0.status) }
            let isSaid = isRefused || error.retry == .never || isAnswered == true
            tell(
                SurveyFinding(
                    ability, isSaid ? .no : .unknown, error.message, missingRight: isRefused ? right : nil,
                    isNeeded: isNeeded))
            return false
        }
    }

    func key(_ name: String) -> String { client.configuration.prefix + prefix + name }

    /// An object below the prefix. It is not locked: the survey has to remove its objects.
    func upload(_ object: String, _ bytes: S3SurveyBytes) throws(UploadError) -> S3Upload {
        let job = UploadJob(
            source: .inline(Data()), destination: .named(name, key: prefix + object), size: bytes.size,
            digests: Digests(crc64nvme: CRC64NVME(of: bytes.bytes).hexadecimal))
        var settings = client.configuration.object
        settings.lockMode = nil
        settings.isUnderLegalHold = false
        written[object, default: []] += []
        return S3Upload(
            target: try S3Target(job, client.configuration), client: client, objectSettings: settings)
    }

    /// Writes a small object by one PUT.
    func put(
        _ object: String, _ bytes: S3SurveyBytes = S3SurveyBytes(count: S3Survey.smallBytes),
        _ condition: WriteCondition = .none, wrongChecksum: Bool = false
    ) async throws(UploadError) -> S3Client.Answer {
        let upload = try upload(object, bytes)
        // The digest of other bytes serves as a wrong one.
        var digest = try await digest(bytes, upload)
        if wrongChecksum {
            let other = S3SurveyBytes(count: Int(bytes.size))
            digest.checksum = try await self.digest(other, self.upload(object, other)).checksum
        }
        let answer = try await upload.put(bytes.body(bytes.whole), digest, condition)
        if case .success(let reply) = answer { noting(reply, of: object) }
        return answer
    }

    /// Remembers the version that the request created.
    @discardableResult
    func noting(_ reply: HTTPReply, of object: String) -> HTTPReply {
        if let version = reply.header("x-amz-version-id") { written[object, default: []].append(version) }
        return reply
    }

    private func digest(_ bytes: S3SurveyBytes, _ upload: S3Upload) async throws(UploadError) -> S3Digest {
        try await S3Digest.of(
            Part(number: 1, range: bytes.whole), from: bytes, upload.target, algorithm: client.configuration.checksum,
            keeping: client.kept
        ).digest
    }

    func success(_ answer: S3Client.Answer, _ key: String) throws(UploadError) -> HTTPReply {
        switch answer {
        case .success(let reply): return reply
        case .failure(let failure): throw failure.error(at: client.location(key))
        }
    }

    /// The ETag of the stored object.
    func etag(of upload: S3Upload) async throws(UploadError) -> String {
        let reply = try success(try await upload.head(), upload.target.key)
        return S3Target.quoted(reply.givenETag ?? "")
    }

    // MARK: Beginning and ending

    private func tryWriting() async -> Bool {
        await attempt("write an object", right: "s3:PutObject", isNeeded: true) {
            () async throws(UploadError) -> Outcome in
            let bytes = S3SurveyBytes(count: Self.smallBytes)
            let reply = try self.success(try await self.put("small", bytes), self.key("small"))
            guard let etag = reply.givenETag, !reply.isPage else {
                throw reply.unbelievable("PutObject \(self.client.location(self.key("small")))")
            }
            self.measured.isETagMD5 = S3Evidence(etag, expected: bytes.md5, meaning: .md5) == .proved
            if let header = S3Digest.header(self.client.configuration.checksum) {
                self.measured.tellsChecksums = reply.header(header) != nil
            }
            return (.yes, "1 KiB below \(self.prefix)")
        }
    }

    /// Begins a multipart upload, which is aborted in the end unless ``forget(_:)`` was called for it.
    func begin(_ object: String, _ bytes: S3SurveyBytes) async throws(UploadError) -> (S3Upload, S3State) {
        let upload = try upload(object, bytes)
        let state = S3State(
            uploadID: try await upload.create(), partBytes: PartPlan.blockBytes, checksum: client.configuration.checksum
        )
        open.append(Begun(upload: upload, state: state))
        return (upload, state)
    }

    func forget(_ state: S3State) { open.removeAll { $0.state == state } }

    /// Removes everything that the survey wrote, even if it was cancelled.
    private func removeAll() async {
        guard !written.isEmpty else { return }
        let client = client
        let prefix = prefix
        let begun = open
        let keys = written.map { (key: key($0), versions: $1) }
        let removal = Task { await S3Survey.remove(keys, begun, of: client, prefix) }
        tell(await removal.value)
    }

    private static func remove(
        _ keys: [(key: String, versions: [String])], _ begun: [Begun], of client: S3Client, _ prefix: String
    ) async -> SurveyFinding {
        let ability = "remove objects"
        var failures: [UploadError] = []
        func note(_ failure: UploadError?) { if let failure { failures.append(failure) } }
        for begun in begun {
            note(
                await patiently { () async throws(UploadError) in
                    do throws(UploadError) {
                        try await begun.upload.abort(begun.state, isTrial: true)
                    } catch  where error.code == .sessionExpired {}
                })
        }
        for (key, versions) in keys {
            note(await patiently { () async throws(UploadError) in try await remove(key, versions, of: client) })
        }
        guard let first = failures.first else {
            return SurveyFinding(ability, .yes, "nothing is left below \(prefix)", isNeeded: true)
        }
        let isRefused = first.code == .accessDenied
        let right = keys.contains { !$0.versions.isEmpty } ? "s3:DeleteObjectVersion" : "s3:DeleteObject"
        return SurveyFinding(
            ability, .no,
            "not removed below \(prefix): \(failures.count) of the written objects and uploads; remove them by hand: \(first.message)",
            missingRight: isRefused ? right : nil, isNeeded: true)
    }

    /// Tries again, up to three times, after failures that may pass.
    private static func patiently(_ body: () async throws(UploadError) -> Void) async -> UploadError? {
        for attempt in 1... {
            do throws(UploadError) {
                try await body()
                return nil
            } catch {
                guard attempt < removalsMaximum, error.retry != .never else { return error }
                var pause: TimeInterval = 1
                if case .after(let seconds) = error.retry { pause = min(max(seconds, pause), removalPauseMaximum) }
                try? await Task.sleep(for: .seconds(pause))
            }
        }
        return nil
    }

    private static let removalsMaximum = 3
    /// In seconds.
    private static let removalPauseMaximum: TimeInterval = 20
    /// The most versions of one key that are unknown because the answers to their writes were lost.
    private static let untoldVersionsMaximum = 5

    /// Removes all versions of a key. Removing a version by its id deletes it; removing only the key would hide it in a versioned bucket
    /// by a marker, which is a version itself.
    private static func remove(_ key: String, _ versions: [String], of client: S3Client) async throws(UploadError) {
        for version in versions { try await client.delete(key, version: version) }
        if versions.isEmpty, let reply = try await client.delete(key),
            reply.header("x-amz-delete-marker") == "true", let marker = reply.header("x-amz-version-id")
        {
            try await client.delete(key, version: marker)
        }
        for _ in 0..<untoldVersionsMaximum {
            var request = S3Request(operation: "HeadObject", method: .HEAD, key: key)
            request.headers = S3ObjectHeaders(settings: client.configuration.object).ofObjectRequests
            guard case .success(let reply) = try await client.answer(request) else { return }
            guard let version = reply.header("x-amz-version-id"), !versions.contains(version) else { break }
            try await client.delete(key, version: version)
        }
        throw UploadError(
            .serverFailure, "it answers that \(client.location(key)) is removed, and it is still there", retry: .never)
    }
}

/// Random bytes, which no client has stored before, as a source.
struct S3SurveyBytes: UploadSource {
    let bytes: [UInt8]

    init(count: Int) {
        // A key consists of random bytes. Keys without any are not allowed.
        bytes = count == 0 ? [] : SymmetricKey(size: SymmetricKeySize(bitCount: 8 * count)).withUnsafeBytes(Array.init)
    }

    var size: Int64 { Int64(bytes.count) }
    var whole: Range<Int64> { 0..<size }
    /// The MD5 in hexadecimal.
    var md5: String { md5(whole) }

    func md5(_ range: Range<Int64>) -> String {
        Hexadecimal.text(of: Insecure.MD5.hash(data: bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }

    func body(_ range: Range<Int64>) -> HTTPBody {
        HTTPBody(source: read(range), size: Int64(range.count)) { _ in }
    }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        let piece = Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        return SourceBuffers { $0 == 0 ? piece : nil }
    }

    /// The checksum of these bytes; the job's own digests do not count.
    func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
        CRC64NVME(of: Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }

    func verifyUnchanged() async throws(UploadError) {}

    func close() async {}
}
