public import Uploads

/// Starts uploads and reports their outcomes. A protocol, so that an app chooses at run time: over the broker
/// (``BrokerUploadManager``), in its own process without a broker (`EmbeddedUploadManager` of `UploadEmbedded`), or one
/// that records the calls of a test (``RecordingUploadManager``).
///
/// Programs with the same ``identifier`` share one set of uploads: each program sees all. While the program that
/// started an upload runs, the outcome goes to its handles and its delegate; otherwise to the delegate of any program
/// of the identifier. An outcome that no delegate has taken waits for a delegate that does. A handle counts as the
/// taker only in a program that never had a delegate.
public protocol UploadManager: Sendable {
    /// Shared by all programs that belong together.
    var identifier: UploadIdentifier { get }

    /// Copies the content and accepts the upload: when this returns, both are durable, and the original may be deleted.
    /// Succeeds while broker and network are away.
    /// - Throws: `invalidFile` for content that cannot be read, `misconfigured`, `rejected`. Nothing was started then.
    func start(_ upload: Upload) async throws(UploadError) -> UploadHandle

    /// Continues an upload from where it stopped: a failed upload in a new round, an unfinished upload in its present
    /// round.
    /// - Throws: `rejected` when the upload is no longer known, or it completed.
    func resume(with state: ResumableUpload) async throws(UploadError) -> UploadHandle

    /// All unfinished uploads of the identifier, oldest first, from all its programs. Each of them ends: if a program
    /// was killed while it started uploads, the next manager that is opened accepts these uploads, or removes them with
    /// their copies.
    func uploads() async throws(UploadError) -> [UploadUpdate]

    /// Follows an upload that any program of the identifier started; nil if the upload is not known, or ended more than
    /// 30 days ago.
    func handle(for id: JobID) async throws(UploadError) -> UploadHandle?

    /// Gives an order about an upload. The order holds even when no worker or notifier runs at the moment.
    /// - Throws: `rejected` when the order is refused, with the reason.
    func order(_ verb: Verb, _ id: JobID) async throws(UploadError)

    /// Sets the delegate, which gets every outcome, also of uploads that ended while no program ran, and those that a
    /// handle of this program has returned. With nil, outcomes wait until a delegate is set again.
    /// From now on, later outcomes of this identifier wait for its delegate.
    func setDelegate(_ delegate: (any UploadDelegate)?) async throws(UploadError)

    /// Delivers all pending outcomes to the delegate, and returns: for programs that the system wakes only briefly.
    /// - Returns: how many outcomes the delegate took.
    /// - Throws: `networkFailure` when the manager cannot find out which outcomes are pending.
    func handlePendingEvents() async throws(UploadError) -> Int

    /// All unfinished uploads of this manager as one value, for ``restoreUploads(from:)`` of a later manager.
    func saveExecutingUploads() async throws(UploadError) -> SavedUploads

    /// Follows saved uploads again, with new handles; no upload is started twice. An upload that has ended meanwhile
    /// gives its outcome; an upload that is no longer known is left out.
    func restoreUploads(from saved: SavedUploads) async throws(UploadError) -> [UploadHandle]

    /// Delivers the pending outcomes to the delegate and releases all resources. Uploads that do not need this process
    /// go on. An outcome that the delegate refuses, or has not taken within 5 s, is delivered in the next run.
    /// Idempotent.
    func close() async
}
