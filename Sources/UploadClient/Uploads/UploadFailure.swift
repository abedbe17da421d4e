public import Uploads

/// Why an upload did not complete, and the state to continue it from.
public struct UploadFailure: Error, Sendable {
    public let error: UploadError
    /// The value for ``UploadManager/resume(with:)``; nil where there is nothing to resume, as after a cancellation.
    public let state: ResumableUpload?

    public init(_ error: UploadError, state: ResumableUpload?) {
        self.error = error
        self.state = state
    }

    /// The kind of failure.
    public var reason: UploadError.Code { error.code }
    /// The server's answer, if the failure is an answer.
    public var response: ServerResponse? { error.response }
}

extension UploadFailure: CustomStringConvertible {
    public var description: String { error.description }
}
