import Crypto
import Foundation
import Glibc
import LinuxFiles
import Synchronization
import UploadClient
import UploadSources
import Uploads

/// Finds out for `--changed` which files of a plan differ from what lies at the destination.
struct ChangeCheck: Sendable {
    /// Objects that are looked at together.
    static let looksAtOnce = 64
    /// Files up to this size are rather read than their objects asked for, in bytes.
    static let readBytesMaximum: Int64 = 256 << 10
    /// How often a request is tried whose failure may pass.
    static let attempts = 3

    let test: ChangeTest
    let destination: any ListableDestination

    /// - Throws: `usage` for a destination that cannot list.
    init(
        _ test: ChangeTest, at reference: DestinationReference, _ provider: any DestinationProvider
    ) throws(ProgramError) {
        let found: (any Destination)?
        do throws(UploadError) { found = try provider.destination(for: reference) } catch { throw ProgramError(error) }
        guard let found else {
            throw ProgramError(
                .configuration,
                "--changed: the destination '\(reference.label)' is not configured here, so that it cannot be listed; add it to the "
                    + "configuration")
        }
        guard let destination = found as? any ListableDestination else {
            throw ProgramError(
                .usage,
                "--changed: '\(reference.label)' cannot be listed; only destinations of the drivers s3, directory and webdav can; "
                    + "--if-exists skip keeps what lies there already")
        }
        self.test = test
        self.destination = destination
    }

    /// Lists what lies below a prefix into the file of a plan.
    func list(below prefix: String, into file: PlanFile) async throws(UploadError) {
        try await Self.trying { () async throws(UploadError) in
            try await destination.list(below: prefix) { objects throws(UploadError) in try file.add(objects) }
        }
    }

    /// Looks at the objects about which the list did not tell enough, and leaves out of the plan what is unchanged.
    func settle(_ plan: EnqueuePlan) async throws(UploadError) -> EnqueuePlan {
        var failure: UploadError?
        await withTaskGroup(of: Answer.self) { group in
            var next = 0
            func startNext() {
                guard failure == nil else { return }
                do throws(UploadError) {
                    guard let candidate = try plan.file.firstCandidate(from: next) else { return }
                    next = candidate.position + 1
                    let upload = try plan.upload(at: candidate.position)
                    group.addTask { await self.look(upload, candidate) }
                } catch {
                    failure = error
                }
            }
            for _ in 0..<Self.looksAtOnce { startNext() }
            while let answer = await group.next() {
                failure = failure ?? answer.failure
                if answer.isUnchanged {
                    do throws(UploadError) { try plan.file.addUnchanged(answer.position) } catch {
                        failure = failure ?? error
                    }
                }
                startNext()
            }
        }
        if let failure { throw failure }
        var left = plan
        left.unchangedCount = try plan.file.removeUnchanged()
        left.count = plan.count - left.unchangedCount
        return left
    }

    private struct Answer: Sendable {
        let position: Int
        var isUnchanged = false
        var failure: UploadError?
    }

    private func look(_ upload: PlannedUpload, _ candidate: PlanFile.Candidate) async -> Answer {
        var answer = Answer(position: candidate.position)
        do throws(UploadError) {
            switch test {
            case .sizeAndTime: answer.isUnchanged = try await isOlder(upload, candidate)
            case .digest: answer.isUnchanged = try await isEqual(upload, candidate)
            }
        } catch {
            // What is wrong with the file is told when it is staged.
            if ![.invalidFile, .sourceChanged].contains(error.code) { answer.failure = error }
        }
        return answer
    }

    private func isOlder(_ upload: PlannedUpload, _ candidate: PlanFile.Candidate) async throws(UploadError) -> Bool {
        if let md5 = candidate.object.md5, candidate.object.size <= Self.readBytesMaximum,
            try await Self.md5(of: upload.path) == md5
        {
            return true
        }
        guard let found = try await found(upload), found.object.size == candidate.object.size else { return false }
        // The object of another program has the time that the list has told already.
        return found.enqueuedAt.map { ChangeTest.isOlder(candidate.modifiedAt, than: $0) } ?? true
    }

    private func isEqual(_ upload: PlannedUpload, _ candidate: PlanFile.Candidate) async throws(UploadError) -> Bool {
        if let md5 = candidate.object.md5, try await Self.md5(of: upload.path) == md5 { return true }
        guard let found = try await found(upload), found.object.size == candidate.object.size else { return false }
        var stated = found.object.digests
        let hasOnlySHA256 = stated.crc64nvme == nil && stated.sha256 != nil
        let local = try await LocalSources.examine(
            fileAt: upload.path, computing: hasOnlySHA256 ? .sha256 : .crc64nvme
        ).digests
        if stated == Digests() { stated = try await digests(of: found.object, upload) }
        return stated.confirms(local)
    }

    private func found(_ upload: PlannedUpload) async throws(UploadError) -> FoundObject? {
        try await Self.trying { () async throws(UploadError) in try await destination.find(job(upload)) }
    }

    /// Reads the object.
    private func digests(of object: StoredObject, _ upload: PlannedUpload) async throws(UploadError) -> Digests {
        let size = object.size ?? 0
        guard size > 0 else { return Digests(of: Data()) }
        return try await Self.trying { () async throws(UploadError) in
            let crc = Mutex(CRC64NVME())
            do throws(UploadError) {
                try await destination.read(object, of: job(upload), 0..<size) { bytes async throws(UploadError) in
                    crc.withLock { $0.update(bytes) }
                }
            } catch {
                // Another program writes there meanwhile; the object differs from what was listed.
                if error.code == .sourceChanged { return Digests() }
                throw error
            }
            return Digests(crc64nvme: crc.withLock { $0.hexadecimal })
        }
    }

    private func job(_ upload: PlannedUpload) -> UploadJob {
        UploadJob(source: .inline(Data()), destination: upload.destination, size: upload.size ?? 0)
    }

    private static func md5(of path: FilePath) async throws(UploadError) -> String {
        try await Blocking.run { () throws(UploadError) in
            do throws(SystemError) {
                let file = try File.open(bytes: path.bytes, named: path.description, O_RDONLY | O_NONBLOCK)
                var digest = Insecure.MD5()
                var offset: Int64 = 0
                while true {
                    let bytes = try file.read(1 << 20, at: offset)
                    if bytes.isEmpty { break }
                    digest.update(data: bytes)
                    offset += Int64(bytes.count)
                }
                return Hexadecimal.text(of: digest.finalize())
            } catch {
                throw UploadError(.invalidFile, "\(path) cannot be read", cause: error)
            }
        }
    }

    private static func trying<Value>(
        _ body: () async throws(UploadError) -> Value
    ) async throws(UploadError) -> Value {
        for attempt in 1..<attempts {
            do throws(UploadError) {
                return try await body()
            } catch {
                guard error.mayPass, error.code != .interrupted else { throw error }
            }
            do { try await Task.sleep(for: .seconds(attempt)) } catch {
                throw UploadError(.interrupted, "the comparison was interrupted")
            }
        }
        return try await body()
    }
}
