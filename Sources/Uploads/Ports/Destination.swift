/// A place that takes bytes: one driver with one configuration. Shared by all slices of a worker.
///
/// Drivers report what they saw; what it means for the job is decided elsewhere. They throw `UploadError` only, and map
/// each foreign status or errno once, beside a reference to its manual.
public protocol Destination: Sendable {
    /// The driver's word in ``UploadState/driver``.
    var driver: String { get }
    /// What a worker may do at this destination at once.
    var limits: TransferLimits { get }

    /// Whether an upload of this job can be interrupted between parts and go on elsewhere. One that cannot must fit
    /// the time for uncut steps, and is not preempted.
    func canYield(_ job: UploadJob) -> Bool

    /// What the destination holds for this job, asked of the destination itself.
    func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer

    /// Opens a session, or takes up the one that `state` describes. A session that is gone at the destination is `sessionExpired`;
    /// the caller probes and opens anew.
    func open(_ job: UploadJob, resuming state: UploadState?) async throws(UploadError) -> any UploadSession

    /// Removes what an unfinished session left at the destination. None left is no error.
    func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError)
}

/// An upload under way at a destination. `upload` may run for several parts at once; the rest is called alone.
public protocol UploadSession: Sendable {
    /// What another worker needs to go on; nil where nothing remains of an unfinished upload.
    var state: UploadState? { get }
    var plan: PartPlan { get }
    /// The parts that the destination does not hold, verified by it or by the driver, in the order to send them.
    var missing: [Part] { get }

    /// Bytes that the destination keeps of the file: by them a slice sees whether the one before it brought anything. They may be more than
    /// what is not `missing`, where a part has to be compared before it counts as held.
    var bytesHeld: Int64 { get }

    /// Tells the condition of the completing write as far as it is known, before the first part is sent: where the one part is
    /// the object (a single PUT), there is no later step that could carry it. Others wait for `complete`.
    func prepare(for condition: WriteCondition)

    /// Compares the parts that the destination holds with what is known of the source, before `missing` is read: a part that does
    /// not fit is missing. Called once after a session was taken up.
    func verify(against source: any UploadSource) async throws(UploadError)

    /// Sends one part from the source. Repeating it is safe.
    /// - Parameter sent: told the bytes of each piece that left, for progress; cheap, callable from anywhere.
    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError)

    /// Makes the object of the parts and checks that it is what the job says, under a condition where the destination
    /// can. Repeating it is safe.
    /// - Throws: `preconditionFailed` when the condition does not hold: probe again; `checksumMismatch`.
    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload

    /// Lets go of local resources (file descriptors, connections); what the destination holds stays.
    func close() async
}

extension UploadSession {
    public var bytesHeld: Int64 { plan.size - missing.reduce(0) { $0 + $1.size } }

    public func prepare(for condition: WriteCondition) {}

    public func verify(against source: any UploadSource) async throws(UploadError) {}
}

/// What a completing call brought.
public struct CompletedUpload: Hashable, Sendable {
    public var object: StoredObject
    /// What the server answered, where there is one.
    public var response: ServerResponse?
    /// Whether nothing proves its bytes though the destination is said to prove them: a job that can send it again does so.
    public var isUnproved = false
    /// What it lacks of what the destination was to give it, such as a lock: it is there, and no success. nil: nothing.
    public var flaw: UploadError?

    public init(_ object: StoredObject, response: ServerResponse? = nil) {
        self.object = object
        self.response = response
    }
}

/// What lies at a destination.
public struct FoundObject: Hashable, Sendable {
    public var object: StoredObject
    /// A media type, where the destination keeps one.
    public var contentType: String?

    public init(_ object: StoredObject, contentType: String? = nil) {
        self.object = object
        self.contentType = contentType
    }
}

/// What a destination holds for a job.
public enum ProbeAnswer: Hashable, Sendable {
    /// This job's object, whatever else there is of it, known by the job id kept beside it, or by size and digest.
    case complete(CompletedUpload)
    /// An unfinished session that can be gone on with, and what lies under the name beside it: an object that is neither this job's
    /// nor a newer job's. nil: nothing lies there.
    case partial(UploadState, beside: StoredObject?)
    /// Something else under this name. `isNewer`: of a job that was enqueued later than this one; told even if there is a session.
    case other(StoredObject, isNewer: Bool)
    /// Nothing.
    case nothing
    /// The destination cannot be asked (a write-only URL).
    case unknowable
}

/// What must hold at the destination for a completing write to happen.
public enum WriteCondition: Hashable, Sendable {
    case none
    /// Nothing lies there.
    case absent
    /// What lies there still has this ETag.
    case unchanged(etag: String)

    /// The condition under which what was seen may be replaced, and nothing else: nil is nothing seen. An object without an ETag
    /// cannot be told from another.
    public init(replacing object: StoredObject?) {
        guard let object else {
            self = .absent
            return
        }
        self = object.etag.map { .unchanged(etag: $0) } ?? .none
    }
}
