import Synchronization
import Uploads

/// Puts the whole file under its temporary name, and then moves it into place. The state says that the file has arrived, so that another
/// worker only has to move it.
final class WebDAVSession: UploadSession {
    let plan: PartPlan

    private let upload: WebDAVUpload
    private let progress: Mutex<Progress>

    private struct Progress {
        /// The file that has arrived.
        var held: WebDAVState?
        /// Whether a PUT ended without an answer that shows how much has arrived.
        var isDoubtful = false
        /// Whether a COPY was refused or ended without an answer: then the worker carries the bytes.
        var isCopyRefused = false
        var completed: CompletedUpload?
    }

    /// - Parameter held: the file that has arrived.
    init(_ upload: WebDAVUpload, holding held: WebDAVState? = nil) {
        self.upload = upload
        plan = PartPlan(size: upload.job.size, partSize: max(1, upload.job.size))
        progress = Mutex(Progress(held: held))
    }

    var state: UploadState? { progress.withLock { $0.held?.uploadState } }

    var missing: [Part] { progress.withLock { $0.held } == nil ? Array(plan.parts) : [] }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        if progress.withLock({ $0.isDoubtful }), let found = try await upload.temporary(), upload.isWhole(found) {
            progress.withLock { $0.held = upload.state(found) }
            return
        }
        if try await copies(source) { return }
        progress.withLock { $0.isDoubtful = true }
        let held = try await upload.put(part, from: source, sent: sent)
        progress.withLock { $0.held = held }
    }

    /// Has the server copy the source object.
    /// - Returns: whether it did.
    private func copies(_ source: any UploadSource) async throws(UploadError) -> Bool {
        let isRefused = progress.withLock { progress in
            defer { progress.isCopyRefused = true }
            return progress.isCopyRefused
        }
        guard !isRefused, let copy = try await upload.copy(source) else { return false }
        progress.withLock { $0.held = copy }
        return true
    }

    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        let (held, completed) = progress.withLock { ($0.held, $0.completed) }
        if let completed { return completed }
        guard held != nil else {
            throw UploadError(
                .invalidResponse, "\(upload.location) has not been sent the file: it is sent again",
                retry: .afterBackoff)
        }
        var new = try await upload.complete(condition)
        new.object.isServerSideCopy = held?.isCopy == true
        progress.withLock { $0.completed = new }
        return new
    }

    func close() async {}
}
