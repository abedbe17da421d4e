import Foundation
import Hummingbird
import Uploads
import UploadsAPI

/// Why a request failed, as the caller sees it: problem details (RFC 9457).
struct APIProblem: Error, Hashable, Sendable {
    /// Bounded: the last part of `type`.
    enum Kind: String, CaseIterable, Sendable {
        case invalidRequest = "invalid-request"
        case notAuthenticated = "not-authenticated"
        case notAllowed = "not-allowed"
        case foreignPage = "foreign-page"
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case refused
        case keyReused = "key-reused"
        case tooManyJobs = "too-many-jobs"
        case hasBacklog = "has-backlog"
        case tooManyLetters = "too-many-letters"
        case contentTooLarge = "content-too-large"
        case headersTooLarge = "headers-too-large"
        case unsupportedMediaType = "unsupported-media-type"
        case tooManyReaders = "too-many-readers"
        case failed
        case unavailable
        case standingBy = "standing-by"
    }

    static let contentType = "application/problem+json"

    var kind: Kind
    /// The fault and its place, and what to do.
    var detail: String
    var headers = HTTPFields()
    /// `tooManyJobs`, `tooManyLetters`: how many match.
    var matched: Int?
    /// `hasBacklog`: how many outcomes.
    var backlog: Int?
    /// The faults of single fields of the body.
    var errors: [API.FieldError]?

    init(_ definition: DefinitionProblems) {
        self.init(.invalidRequest, definition.problems.map(\.text).joined(separator: "; "))
        errors = definition.problems.map { API.FieldError(pointer: "#/\($0.field)", detail: $0.detail) }
    }

    init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    static func invalid(_ detail: String) -> APIProblem { APIProblem(.invalidRequest, detail) }

    static func unknownJob(_ id: JobID) -> APIProblem {
        APIProblem(
            .notFound, "the ledger knows no job \(id); it is forgotten 30 days after its end, or was never enqueued")
    }

    static func methodNotAllowed(_ method: String, allowed: [String]) -> APIProblem {
        let list = allowed.joined(separator: ", ")
        var problem = APIProblem(.methodNotAllowed, "\(method.prefix(20)) is not possible here; use \(list)")
        problem.headers[.allow] = list
        return problem
    }

    /// An error of the ledger or the broker. Its message is safe to show.
    init(_ error: UploadError) {
        switch error.code {
        case .rejected: self.init(.refused, error.message)
        case .networkFailure, .serverFailure, .rateLimited, .interrupted:
            self.init(.unavailable, "\(error.message); try again in a moment")
            headers[.retryAfter] = "5"
        default: self.init(.failed, error.message)
        }
    }

    var status: HTTPResponse.Status {
        switch kind {
        case .invalidRequest: .badRequest
        case .notAuthenticated: .unauthorized
        case .foreignPage, .notAllowed: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .refused, .tooManyJobs, .tooManyLetters, .hasBacklog: .conflict
        case .keyReused: .unprocessableContent
        case .contentTooLarge: .contentTooLarge
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .tooManyReaders: .tooManyRequests
        case .failed: .internalServerError
        case .unavailable, .standingBy: .serviceUnavailable
        }
    }

    private var title: String {
        switch kind {
        case .invalidRequest: "The request cannot be understood"
        case .notAuthenticated: "A token is needed"
        case .notAllowed: "The token does not allow this"
        case .foreignPage: "The request does not come from this host"
        case .notFound: "There is no such thing"
        case .methodNotAllowed: "Not with this method"
        case .refused: "This cannot be done as things stand"
        case .keyReused: "The idempotency key was used for something else"
        case .tooManyJobs: "More jobs match than are allowed"
        case .hasBacklog: "Something waits for it"
        case .tooManyLetters: "More dead letters match than are allowed"
        case .contentTooLarge: "The body is too large"
        case .headersTooLarge: "The headers are too large"
        case .unsupportedMediaType: "The body is of the wrong type"
        case .tooManyReaders: "Too many follow the events already"
        case .failed: "The notifier failed"
        case .unavailable: "Not just now"
        case .standingBy: "This notifier stands by"
        }
    }
}

extension APIProblem {
    /// The answer's body.
    var body: API.Problem {
        API.Problem(
            type: "urn:longshore:problem:\(kind.rawValue)", title: title, status: status.code, detail: detail,
            matched: matched, backlog: backlog, errors: errors)
    }
}

extension APIProblem: HTTPResponseError {
    var response: Response {
        var fields = headers
        fields[.contentType] = Self.contentType
        fields[.cacheControl] = "no-store"
        let body = (try? WireJSON.encode(body)) ?? Data()
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }

    func response(from request: Request, context: some RequestContext) throws -> Response { response }
}
