public import Foundation

/// The immutable order: what goes where, and how long it may be tried. Published once by a producer; everything that
/// changes on the way is in the ``Baton``.
public struct UploadJob: Hashable, Sendable {
    public var id: JobID
    /// The transfer queue.
    public var queue: QueueName
    /// `urgent`, `normal` or `bulk`; `continued` is for batons only.
    public var priority: Lane
    public var source: SourceReference
    public var destination: DestinationReference
    /// The destination that the producer named, once the job goes to another key because this one already has an
    /// object: ``IfExists/rename``.
    public var renamedFrom: DestinationReference?
    /// A media type (RFC 9110, section 8.3.1).
    public var contentType: String
    /// Bytes; 0 of an object that no worker has seen yet.
    public var size: Int64
    public var digests: Digests
    /// Texts that the producer wants to find again at the destination and in events.
    public var metadata: [String: String]
    /// Further properties of the object: caching, disposition, tags …
    public var properties: ObjectProperties
    /// What the job does with another object that the destination already has.
    public var ifExists: IfExists
    /// A name that the producer gives to jobs that belong together.
    public var batch: String?
    /// The app that receives its outcomes through a durable subscription, if any: the identifier that the app's upload
    /// managers share.
    public var client: String?
    /// Jobs with the same key are one upload.
    public var idempotencyKey: String?
    /// nil: the destination's policy, else the default.
    public var retry: RetryPolicy?
    /// Set where the job belongs to the serial line of its transfer queue, which carries one job at a time in strict
    /// order: where it enters the line. Then it is published to the notifier alone, which issues it when its turn has
    /// come.
    public var serial: SerialPosition?
    /// Whether the object is read back and compared before the upload counts as completed.
    public var verify: Bool
    /// Not started before this time.
    public var notBefore: Date?
    /// Given up after this time.
    public var expiresAt: Date?
    public var enqueuedAt: Date
    /// Fields of a newer version: kept and handed on.
    public var unknown: [String: JSONValue]

    public init(
        id: JobID = JobID(),
        queue: QueueName = .standard,
        priority: Lane = .normal,
        source: SourceReference,
        destination: DestinationReference,
        contentType: String = "application/octet-stream",
        size: Int64,
        digests: Digests = Digests(),
        metadata: [String: String] = [:],
        retry: RetryPolicy? = nil,
        enqueuedAt: Date = Date()
    ) {
        self.id = id
        self.queue = queue
        self.priority = priority
        self.source = source
        self.destination = destination
        self.renamedFrom = nil
        self.contentType = contentType
        self.size = size
        self.digests = digests
        self.metadata = metadata
        self.properties = ObjectProperties()
        self.ifExists = .replace
        self.batch = nil
        self.client = nil
        self.idempotencyKey = nil
        self.retry = retry
        self.serial = nil
        self.verify = false
        self.notBefore = nil
        self.expiresAt = nil
        self.enqueuedAt = enqueuedAt
        self.unknown = [:]
    }

    /// Whether ``redacted`` is the same.
    var isRedacted: Bool { source.isRedacted && destination.isRedacted }

    /// The job without inline bytes and without the query of a URL, as events carry it. It cannot be run.
    public var redacted: UploadJob {
        guard !isRedacted else { return self }
        var job = self
        job.source = source.redacted
        job.destination = destination.redacted
        return job
    }
}
