package import Uploads

/// An upload manager that forwards every call to its core. Each public manager conforms, and adds only its initializer
/// and its special calls.
package protocol CoreUploadManager: UploadManager {
    var core: ManagerCore { get }
}

/// `public`, because these methods fulfil the requirements of the public protocol ``UploadManager``.
extension CoreUploadManager {
    public var identifier: UploadIdentifier { core.identifier }

    public func start(_ upload: Upload) async throws(UploadError) -> UploadHandle { try await core.start(upload) }

    public func resume(with state: ResumableUpload) async throws(UploadError) -> UploadHandle {
        try await core.resume(with: state)
    }

    public func uploads() async throws(UploadError) -> [UploadUpdate] { try await core.uploads() }

    public func handle(for id: JobID) async throws(UploadError) -> UploadHandle? { try await core.handle(for: id) }

    public func order(_ verb: Verb, _ id: JobID) async throws(UploadError) { try await core.order(verb, id) }

    public func setDelegate(_ delegate: (any UploadDelegate)?) async throws(UploadError) {
        await core.setDelegate(delegate)
    }

    public func handlePendingEvents() async throws(UploadError) -> Int { try await core.handlePendingEvents() }

    public func saveExecutingUploads() async throws(UploadError) -> SavedUploads { try await core.save() }

    public func restoreUploads(from saved: SavedUploads) async throws(UploadError) -> [UploadHandle] {
        try await core.restore(saved)
    }

    public func close() async { await core.close() }
}
