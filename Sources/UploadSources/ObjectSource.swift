import Uploads

/// An object that lies at a destination, as it was when it was first seen.
struct ObjectSource: UploadSource {
    let size: Int64
    let object: StoredObject
    /// Its destination is where the object lies.
    let job: UploadJob
    let origin: any OriginDestination
    private let pause: Duration

    /// Until what seems to have changed is looked at once more: of several servers one may lag behind the others.
    static let secondLookPause = Duration.seconds(2)

    init(
        _ object: StoredObject, of job: UploadJob, at origin: any OriginDestination,
        secondLookPause: Duration = Self.secondLookPause
    ) {
        size = job.size
        self.object = object
        self.job = job
        self.origin = origin
        pause = secondLookPause
    }

    var isFetched: Bool { true }

    func read(_ range: Range<Int64>) -> any AsyncSequence<SourceBuffer, any Error> & Sendable {
        ObjectRange(range: range.clamped(to: 0..<size), source: self)
    }

    func verifyUnchanged() async throws(UploadError) {
        if try await isUnchanged() { return }
        if try await isUnchangedAtSecondLook() { return }
        throw .sourceChanged(job.destination)
    }

    /// What reading it threw. Where one answer said that it has changed, and the next does not, it can be read again.
    func judged(_ error: UploadError) async -> UploadError {
        guard error.code == .sourceChanged else { return error }
        do throws(UploadError) {
            guard try await isUnchangedAtSecondLook() else { return error }
        } catch {
            return error
        }
        return UploadError(
            .serverFailure,
            "\(job.destination.displayText) was answered as if it had changed, and a moment later as if it had not: it is read again; look "
                + "at its servers", retry: .afterBackoff, cause: error, response: error.response)
    }

    private func isUnchangedAtSecondLook() async throws(UploadError) -> Bool {
        try await Self.rest(for: job, pause)
        return try await isUnchanged()
    }

    /// - Throws: `interrupted`.
    static func rest(for job: UploadJob, _ pause: Duration = secondLookPause) async throws(UploadError) {
        do {
            try await Task.sleep(for: pause)
        } catch {
            throw UploadError(.interrupted, "looking at \(job.destination.displayText) was interrupted")
        }
    }

    private func isUnchanged() async throws(UploadError) -> Bool {
        guard let found = try await origin.find(job)?.object else { return false }
        return found.size == object.size && found.etag.map(Self.opaque) == object.etag.map(Self.opaque)
            && found.version == object.version
    }

    /// Weak comparison (RFC 9110, section 8.8.3.2): some servers call the tag of a young object weak, and the same strong later.
    private static func opaque(_ etag: String) -> Substring {
        etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...]
    }

    func close() async {}
}
