public import Foundation

/// A destination whose objects can be read back, for jobs that are verified (``UploadJob/verify``).
public protocol ReadableDestination: Destination {
    /// Why a job's object cannot be read back, where that is certain before anything is sent; nil otherwise.
    func readBackProblem(of job: UploadJob) -> UploadError?

    /// Reads a finished object of the job from a byte on to its end, in order, in buffers of about 1 MiB at most. The version that the
    /// object names is read where the destination keeps versions.
    /// - Parameters:
    ///   - offset: less than the object's size, or 0.
    ///   - take: called with one buffer after the other; what it throws ends the reading and is thrown on.
    /// - Throws: `destinationNotFound` when the object does not exist; `networkFailure` when the answer ends before
    ///   what it has announced.
    func read(
        _ object: StoredObject, of job: UploadJob, from offset: Int64,
        _ take: @escaping @Sendable ([UInt8]) async throws(UploadError) -> Void
    ) async throws(UploadError)
}

extension ReadableDestination {
    public func readBackProblem(of job: UploadJob) -> UploadError? { nil }
}

/// A destination whose objects jobs may carry elsewhere: a download, or a copy from one store to another.
public protocol OriginDestination: ReadableDestination {
    /// The object at the job's destination, whichever program put it there.
    /// - Returns: the object with its size, with what distinguishes it from a later one (ETag, version), and with the
    ///   digests that the destination states of the whole; nil when there is no object.
    func find(_ job: UploadJob) async throws(UploadError) -> FoundObject?

    /// Reads a range of it, in order, in buffers of about 1 MiB at most.
    /// - Parameters:
    ///   - object: what `find` answered.
    ///   - range: within its size, not empty.
    ///   - take: called with one buffer after the other; what it throws ends the reading and is thrown on.
    /// - Returns: whether it pays to read several ranges at the same time: a server sends each of them alone.
    /// - Throws: `sourceChanged` when the key has another object now, or none; `networkFailure` when the answer ends
    ///   before what it has announced.
    @discardableResult
    func read(
        _ object: StoredObject, of job: UploadJob, _ range: Range<Int64>,
        _ take: @escaping @Sendable ([UInt8]) async throws(UploadError) -> Void
    ) async throws(UploadError) -> Bool
}

/// A destination that can list its objects, so that a producer enqueues only what differs from them.
public protocol ListableDestination: OriginDestination {
    /// Lists the objects whose keys begin with a prefix, whichever program put them there, without unfinished uploads.
    /// - Parameters:
    ///   - prefix: what the keys begin with, as jobs name them; empty for all objects.
    ///   - take: called with some objects after the others, in no order; what it throws ends the listing and is thrown on.
    /// - Throws: `invalidResponse` when the list cannot be read to its end. A prefix without objects, or below a directory
    ///   that does not exist, is an empty list.
    func list(
        below prefix: String, _ take: @escaping @Sendable ([ListedObject]) throws(UploadError) -> Void
    ) async throws(UploadError)
}

/// A destination that can hold a staging area: what lies there is listed, read and removed.
public protocol RemovableDestination: ListableDestination {
    /// Removes the object at the job's destination, whichever program put it there. A missing one is no error.
    func removeObject(of job: UploadJob) async throws(UploadError)
}

/// A destination that has to tell the rounds of a job apart: what a server remembers of an ended round must not answer
/// for the next one.
public protocol RoundDestination: Destination {
    /// As ``Destination/open(_:resuming:)``.
    /// - Parameter round: of the job, from 1; the same for each attempt of it.
    func open(
        _ job: UploadJob, round: Int, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession
}

/// A destination that can measure what its server does, and what the credentials may do there.
public protocol SurveyedDestination: Destination {
    /// Writes a small object and one of two parts below `prefix`, tries with them every request that the driver may
    /// ever make, and removes them again, even if it is cancelled.
    /// - Parameters:
    ///   - prefix: what the keys of its objects begin with, as jobs name them.
    ///   - tell: called with each finding as it is made.
    /// - Returns: the settings that the destination's configuration should have.
    func survey(
        _ name: DestinationName, below prefix: String, tell: @escaping @Sendable (SurveyFinding) -> Void
    ) async -> [SurveyAdvice]
}

/// A destination that can list uploads that were begun and never finished, so that those that no job names are removed.
public protocol SweepableDestination: Destination {
    /// Whether this destination's configuration lets it list them; true unless the driver says otherwise.
    var canBeSwept: Bool { get }

    /// Unfinished uploads below the destination's prefix that were begun before this time, all pages of them, at most
    /// ``UnfinishedUpload/countMaximum``; the oldest first where the destination can tell without listing more.
    func unfinished(startedBefore: Date) async throws(UploadError) -> [UnfinishedUpload]

    /// The ``UnfinishedUpload/sessionID`` of the session that a state describes; nil for a state of another driver, or
    /// without a session.
    func sessionID(of state: UploadState) -> String?

    /// Removes it with everything that was sent. None left is no error.
    func discard(_ upload: UnfinishedUpload) async throws(UploadError)
}

extension SweepableDestination {
    public var canBeSwept: Bool { true }
}
