public import Foundation

/// A place that takes bytes: one driver with one configuration. Shared by all slices of a worker.
///
/// Drivers report what they saw; ``SliceMachine`` decides what it means for the job. They throw `UploadError` only, and
/// map each foreign status or errno once, beside a reference to its manual.
public protocol Destination: Sendable {
    /// The driver's name, as in ``UploadState/driver``.
    var driver: String { get }
    /// What a worker may do at this destination at once.
    var limits: TransferLimits { get }

    /// Whether an upload of this job can be interrupted between parts and go on elsewhere. One that cannot must fit
    /// the time for uncut steps, and is not preempted.
    func canYield(_ job: UploadJob) -> Bool

    /// Asks the destination what it holds for this job.
    func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer

    /// Rule 8: sessions. Opens a session, or resumes the one that `state` describes. For a session that is gone at the
    /// destination it throws `sessionExpired`; the caller probes and opens anew.
    func open(_ job: UploadJob, resuming state: UploadState?) async throws(UploadError) -> any UploadSession

    /// Removes what an unfinished session left at the destination. None left is no error.
    func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError)
}

/// An upload under way at a destination. `upload` may run for several parts at once; the rest is called alone.
public protocol UploadSession: Sendable {
    /// The state that another worker needs to go on; nil where nothing remains of an unfinished upload.
    var state: UploadState? { get }
    var plan: PartPlan { get }
    /// The parts that the destination does not hold, verified by it or by the driver, in the order to send them.
    var missing: [Part] { get }

    /// Bytes of the file that the destination holds, by which a slice sees whether the one before it made progress.
    /// They may exceed the parts that are not `missing`, where a part has to be compared before it counts as held.
    var bytesHeld: Int64 { get }

    /// Passes the condition of the completing write as far as it is known, before the first part is sent: where the one
    /// part is the object (a single PUT), there is no later step that could carry it. Other sessions wait for
    /// `complete`.
    func prepare(for condition: WriteCondition)

    /// Compares the parts that the destination holds with the known checksums of the source, before `missing` is read:
    /// a part that does not fit is missing. Called once after a session was resumed.
    func verify(against source: any UploadSource) async throws(UploadError)

    /// Sends one part from the source. Repeating it is safe.
    /// - Parameter sent: called with the bytes of each piece that left, for progress; cheap, callable from anywhere.
    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError)

    /// Passes the digests of the whole file, which a job lacks whose file was not read before it was sent. Called once all
    /// parts were sent, before `complete`.
    func note(_ digests: Digests)

    /// Makes the object of the parts and checks that it is what the job says, under a condition if the destination can.
    /// Repeating it is safe.
    /// - Throws: `preconditionFailed` when the condition does not hold: probe again; `checksumMismatch`.
    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload

    /// Releases local resources (file descriptors, connections); what the destination holds stays.
    func close() async
}

extension UploadSession {
    public var bytesHeld: Int64 { plan.size - missing.reduce(0) { $0 + $1.size } }

    public func prepare(for condition: WriteCondition) {}

    public func verify(against source: any UploadSource) async throws(UploadError) {}

    public func note(_ digests: Digests) {}
}

/// The result of a completing call.
public struct CompletedUpload: Hashable, Sendable {
    public var object: StoredObject
    /// The server's answer, where there is a server.
    public var response: ServerResponse?
    /// Whether the object's bytes are not proved although the destination is configured to prove them. A job that can
    /// send the object again then does so.
    public var isUnproved = false
    /// What the object lacks that the destination was to give it, such as a lock: it is there, but no success. nil:
    /// nothing.
    public var flaw: UploadError?

    public init(_ object: StoredObject, response: ServerResponse? = nil) {
        self.object = object
        self.response = response
    }
}

/// An object at a destination.
public struct FoundObject: Hashable, Sendable {
    public var object: StoredObject
    /// A media type, where the destination keeps one.
    public var contentType: String?
    /// When the job that wrote it was enqueued; nil for the object of another program, and where only the list tells
    /// (``ListedObject/writer``).
    public var enqueuedAt: Date?

    public init(_ object: StoredObject, contentType: String? = nil, enqueuedAt: Date? = nil) {
        self.object = object
        self.contentType = contentType
        self.enqueuedAt = enqueuedAt
    }
}

/// What a destination holds for a job.
public enum ProbeAnswer: Hashable, Sendable {
    /// This job's object, even if a session of the job is open as well. It is known by the job id kept beside it, or by
    /// size and digest.
    case complete(CompletedUpload)
    /// An unfinished session that can be resumed, and the object under the name beside it, which is neither this job's
    /// nor a newer job's. nil: the name has no object.
    case partial(UploadState, beside: StoredObject?)
    /// Something else under this name. `isNewer`: of a job that was enqueued later than this one; answered even if
    /// there is a session.
    case other(StoredObject, isNewer: Bool)
    /// Nothing.
    case nothing
    /// The destination cannot be asked (a write-only URL).
    case unknowable
}

/// Rule 7: write conditionally. What must hold at the destination for a completing write to happen.
public enum WriteCondition: Hashable, Sendable {
    case none
    /// The key has no object.
    case absent
    /// The object under the key still has this ETag.
    case unchanged(etag: String)

    /// The condition under which a write may replace the object that was seen, and nothing else; nil: nothing was seen.
    /// An object without an ETag cannot be distinguished from another.
    public init(replacing object: StoredObject?) {
        guard let object else {
            self = .absent
            return
        }
        self = object.etag.map { .unchanged(etag: $0) } ?? .none
    }
}
