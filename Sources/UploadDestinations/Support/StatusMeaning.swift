import Foundation
import Uploads

/// The meaning of a status that refuses a request: the error's code, the remedy that its message names, and whether and when to try again.
typealias StatusMeaning = (code: UploadError.Code, remedy: String, retry: UploadError.Retry)

extension UploadError {
    /// The error for an answer that refuses a request.
    /// - Parameters:
    ///   - request: the method and the URL, as they may be shown.
    ///   - status: the status to report; nil: the answer's own.
    ///   - hint: text behind the remedy.
    ///   - response: the part of the answer that may be shown.
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
    /// The pause that the server asks for, in place of the default. An error that no repetition can cure stays `never`.
    func waiting(_ seconds: TimeInterval?) -> UploadError.Retry {
        guard self != .never, let seconds else { return self }
        return .after(seconds: seconds)
    }
}
