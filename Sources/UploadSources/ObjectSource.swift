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
        guard let found = try await origin.find(job)?.object, found.size == object.size, found.etag == object.etag,
            found.version == object.version
        else {
            throw .sourceChanged(job.destination)
        }
    }

    func close() async {}
}
