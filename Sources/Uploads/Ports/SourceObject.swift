/// The object that a source's bytes come from, for drivers whose server can copy it by itself.
public struct SourceObject: Sendable {
    /// The driver that reads the object. A driver copies only what another of its own kind reads.
    public let origin: any OriginDestination
    /// A job with the object's place as its destination, as the origin's driver takes it.
    public let job: UploadJob
    /// The object in the version that was seen first. A copy is made of this version alone.
    public let object: StoredObject

    public init(_ object: StoredObject, of job: UploadJob, at origin: any OriginDestination) {
        self.origin = origin
        self.job = job
        self.object = object
    }
}
