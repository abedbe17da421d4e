import Synchronization

/// An order that all batons and events which carry it share, with what is made of it at most once: its redacted form, and the JSON of
/// that. An order has some forty texts and numbers, and a baton is copied a dozen times on its way through a program.
@usableFromInline
final class SharedJob: Sendable {
    @usableFromInline let job: UploadJob
    private let isRedacted: Bool
    private let made = Mutex<(redacted: SharedJob?, json: [UInt8]?)>((nil, nil))

    @usableFromInline
    init(_ job: UploadJob) {
        self.job = job
        isRedacted = job.isRedacted
    }

    var redacted: SharedJob {
        guard !isRedacted else { return self }
        return made.withLock { made in
            if let redacted = made.redacted { return redacted }
            let redacted = SharedJob(job.redacted)
            made.redacted = redacted
            return redacted
        }
    }

    /// The order as JSON.
    /// - Throws: `EncodingError`.
    func json() throws -> [UInt8] {
        // An order that may carry a whole file is not kept twice.
        guard isRedacted else { return try JSONWriter.bytes(of: job) }
        return try made.withLock { made in
            if let json = made.json { return json }
            let json = try JSONWriter.bytes(of: job)
            made.json = json
            return json
        }
    }
}

extension SharedJob: Hashable {
    @usableFromInline
    static func == (one: SharedJob, other: SharedJob) -> Bool { one === other || one.job == other.job }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(job) }
}

extension SharedJob: Encodable {
    @usableFromInline
    func encode(to encoder: any Encoder) throws { try job.encode(to: encoder) }
}
