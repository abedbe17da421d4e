import Uploads

/// An object at a destination, in the version that was seen first.
struct ObjectSource: UploadSource {
    let size: Int64
    let object: StoredObject
    /// The job with the object's origin as its destination.
    let job: UploadJob
    let origin: any OriginDestination
    private let pause: Duration

    /// The pause before a second look at an object that seems to have changed: one of several servers may lag behind the others.
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

    var sourceObject: SourceObject? { SourceObject(object, of: job, at: origin) }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        ObjectRange(range: range.clamped(to: 0..<size), source: self)
    }

    func verifyUnchanged() async throws(UploadError) {
        if try await isUnchanged() { return }
        if try await isUnchangedAtSecondLook() { return }
        throw .sourceChanged(job.destination)
    }

    /// The error to report for an error of reading. If one answer says that the object has changed and the next does not, it can be read
    /// again.
    func judged(_ error: UploadError) async -> UploadError {
        guard error.code == .sourceChanged else { return error }
        do throws(UploadError) {
            guard try await isUnchangedAtSecondLook() else { return error }
        } catch {
            return error
        }
        return UploadError(
            .serverFailure,
            "one answer said that \(job.destination.displayText) has changed, and a later answer that it has not: it is read again; look "
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

    /// Weak comparison (RFC 9110, section 8.8.3.2): some servers mark the tag of a young object as weak, and the same tag as strong later.
    private static func opaque(_ etag: String) -> Substring {
        etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...]
    }

    func close() async {}
}
