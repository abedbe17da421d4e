import Foundation
import Uploads

/// What a status that refuses a request means: the error's code, the remedy that its message names, and when another try is worth it.
typealias StatusMeaning = (code: UploadError.Code, remedy: String, retry: UploadError.Retry)

extension UploadError {
    /// The error for an answer that refuses a request.
    /// - Parameters:
    ///   - request: the method and the URL, as they may be shown.
    ///   - status: the status that is reported; nil: the answer's own.
    ///   - hint: stands behind the remedy.
    ///   - response: what may be shown of the answer.
    static func refused(
        _ request: String, _ reply: HTTPReply, status: Int? = nil, _ meaning: StatusMeaning, hint: String = "",
        _ response: ServerResponse
    ) -> UploadError {
        UploadError(
            meaning.code, "\(request) was answered \(status ?? reply.status): \(meaning.remedy)\(hint)",
            retry: meaning.retry.waiting(HTTPAnswer.retryAfter(reply.header("retry-after"))), response: response)
    }
}

extension UploadError.Retry {
    /// The pause that the server asks for instead of the usual one. An error that no repetition mends stays so.
    func waiting(_ seconds: TimeInterval?) -> UploadError.Retry {
        guard self != .never, let seconds else { return self }
        return .after(seconds: seconds)
    }
}
