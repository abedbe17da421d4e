public import Foundation
public import Uploads

extension UploadManager {
    /// Uploads a file.
    /// - Parameters:
    ///   - contentType: nil: derived from the file's extension.
    ///   - destination: `photos:2026/11/cat.jpg` or a URL.
    public func upload(
        _ file: URL, contentType: String? = nil, to destination: String, info: UploadInfo = UploadInfo()
    ) async throws(UploadError) -> UploadHandle {
        try await start(try Upload(.url(file), to: destination, contentType: contentType, info: info))
    }

    /// Starts an upload and calls back, for callers that have no task to wait in. One of `onSuccess` and `onError` is
    /// called, once, while this process lives; an outcome that comes later goes to the delegate.
    /// - Returns: the upload's handle, once the upload is accepted; nil if it was not, and `onError` got the reason.
    @discardableResult
    public func start(
        _ upload: Upload, onProgress: (@Sendable (_ bytesDone: Int64, _ bytesTotal: Int64) -> Void)? = nil,
        onSuccess: @escaping @Sendable (UploadReceipt) -> Void,
        onError: @escaping @Sendable (UploadFailure) -> Void
    ) async -> UploadHandle? {
        await called(back: onProgress, onSuccess, onError) { () throws(UploadError) in try await start(upload) }
    }

    /// The same as ``start(_:onProgress:onSuccess:onError:)``, for ``resume(with:)``.
    @discardableResult
    public func resume(
        with state: ResumableUpload,
        onProgress: (@Sendable (_ bytesDone: Int64, _ bytesTotal: Int64) -> Void)? = nil,
        onSuccess: @escaping @Sendable (UploadReceipt) -> Void,
        onError: @escaping @Sendable (UploadFailure) -> Void
    ) async -> UploadHandle? {
        await called(back: onProgress, onSuccess, onError) { () throws(UploadError) in try await resume(with: state) }
    }

    /// Delivers the pending outcomes to the delegate, and calls back when that is done or has failed.
    public func handlePendingEvents(completion: @escaping @Sendable (Result<Int, UploadError>) -> Void) {
        Task {
            do throws(UploadError) {
                completion(.success(try await handlePendingEvents()))
            } catch {
                completion(.failure(error))
            }
        }
    }

    private func called(
        back onProgress: (@Sendable (Int64, Int64) -> Void)?,
        _ onSuccess: @escaping @Sendable (UploadReceipt) -> Void,
        _ onError: @escaping @Sendable (UploadFailure) -> Void,
        _ begin: () async throws(UploadError) -> UploadHandle
    ) async -> UploadHandle? {
        do throws(UploadError) {
            let handle = try await begin()
            handle.call(back: onProgress, onSuccess, onError)
            return handle
        } catch {
            onError(UploadFailure(error, state: nil))
            return nil
        }
    }
}
