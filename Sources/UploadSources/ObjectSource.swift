import Uploads

/// An object that lies at a destination, as it was when it was first seen.
struct ObjectSource: UploadSource {
    let size: Int64

    private let object: StoredObject
    /// Its destination is where the object lies.
    private let job: UploadJob
    private let origin: any OriginDestination

    init(_ object: StoredObject, of job: UploadJob, at origin: any OriginDestination) {
        size = job.size
        self.object = object
        self.job = job
        self.origin = origin
    }

    func read(_ range: Range<Int64>) -> any AsyncSequence<SourceBuffer, any Error> & Sendable {
        ObjectRange(range: range.clamped(to: 0..<size), object: object, job: job, origin: origin)
    }

    func verifyUnchanged() async throws(UploadError) {
        guard let found = try await origin.find(job)?.object, found.size == object.size,
            found.etag.map(Self.opaque) == object.etag.map(Self.opaque), found.version == object.version
        else {
            throw .sourceChanged(job.destination)
        }
    }

    /// Weak comparison (RFC 9110, section 8.8.3.2): some servers call the tag of a young object weak, and the same strong later.
    private static func opaque(_ etag: String) -> Substring {
        etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...]
    }

    func close() async {}
}
