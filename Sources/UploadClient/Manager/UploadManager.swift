public import Uploads

/// Starts uploads and tells what became of them. An abstraction, so that an app chooses at run time: over the broker
/// (``BrokerUploadManager``), in the own process without one (`EmbeddedUploadManager` of `UploadEmbedded`), or one that
/// records what a test asked for (``RecordingUploadManager``).
///
/// Programs with the same ``identifier`` share one set of uploads: each sees all. An outcome is told in the program that
/// started the upload, while that lives, to its handles and its delegate; otherwise to the delegate of whichever program has
/// one. What no delegate has taken waits for one that does; only for a program that never had a delegate do its handles count.
public protocol UploadManager: Sendable {
    /// Shared by all programs that belong together.
    var identifier: UploadIdentifier { get }

    /// Copies the content and accepts the upload: when this returns, both are durable, and the original may be deleted. Succeeds while
    /// broker and network are away.
    /// - Throws: `invalidFile` for content that cannot be read, `misconfigured`, `rejected`. Nothing was started then.
    func start(_ upload: Upload) async throws(UploadError) -> UploadHandle

    /// Goes on with an upload from where it stopped: a failed one in a new round, one that is still under way as it is.
    /// - Throws: `rejected` when nobody knows it any more, or it completed.
    func resume(with state: ResumableUpload) async throws(UploadError) -> UploadHandle

    /// All unfinished uploads of the identifier, oldest first, whoever started them. Each of them ends: those that a program was
    /// starting when it was killed are accepted, or removed with their copies, when a manager is opened.
    func uploads() async throws(UploadError) -> [UploadUpdate]

    /// Follows an upload that somebody started; nil for one that is not known, or ended more than 30 days ago.
    func handle(for id: JobID) async throws(UploadError) -> UploadHandle?

    /// Orders that hold whether or not anybody is up to hear them.
    /// - Throws: `rejected` when the order is refused, with the reason.
    func order(_ verb: Verb, _ id: JobID) async throws(UploadError)

    /// Sets who is told of every outcome, also of uploads that ended while no program ran, and of those that a handle of this program
    /// has given; nil: nobody, until somebody is set again.
    /// Known by its identifier from then on: what ends later waits for it.
    func setDelegate(_ delegate: (any UploadDelegate)?) async throws(UploadError)

    /// Tells the delegate everything that has gathered, and returns: for programs that are only woken briefly.
    /// - Returns: how many outcomes were told.
    /// - Throws: `networkFailure` when it cannot be known what has gathered.
    func handlePendingEvents() async throws(UploadError) -> Int

    /// All unfinished uploads of this manager as one value, for ``restoreUploads(from:)`` of a later one.
    func saveExecutingUploads() async throws(UploadError) -> SavedUploads

    /// Takes unfinished uploads up again, with new handles: none is started twice. One that has ended meanwhile gives its
    /// outcome; one that nobody knows any more is left out.
    func restoreUploads(from saved: SavedUploads) async throws(UploadError) -> [UploadHandle]

    /// Tells the delegate what has ended and lets go of everything; uploads go on where that does not need this process. What the
    /// delegate refuses, or has not taken within 5 s, is told in the next run. Idempotent.
    func close() async
}
