import Foundation
import Synchronization

/// A Bridge server by Bridge's documentation and the source of its server, with the store that its URLs lead to. Quoted names are
/// sections of "Authentication" and "Bundled Zip File Uploads" in the documentation; class names are those of the server.
public final class BridgeServer: Sendable {
    public enum Call: Hashable, CaseIterable, Sendable { case signIn, request, put, complete, status }

    public struct Upload: Sendable {
        public let id: String
        public let name: String
        public let contentLength: Int
        public let contentType: String
        public let contentMD5: String
        public var status = "requested"
        /// The signature of the URL that was issued last.
        public var signature: String
        public var isExpired = false
        public var bytes: [UInt8]?
        public var messages: [String] = []
        public let document: [String: any Sendable]
    }

    public struct Script: Sendable {
        /// The fault of a call, instead of the documented answer or after it was carried out (`lost`); nil: none.
        public var fault: @Sendable (Call, Int) -> Fault? = { _, _ in nil }
        /// The successive statuses of an upload after the completing call, one for each request; the last one stays.
        public var statuses = ["validation_in_progress"]
        public var messages: [String] = []
        /// The number of first requests whose answers have URLs that have expired already.
        public var expiredURLs = 0
        /// The seconds from now until `expires`.
        public var expiresSeconds = 86_400.0
        public var needsConsent = false
    }

    public enum Fault: Sendable {
        case answer(Int, headers: [String: String] = [:], body: String = "")
        /// The call is carried out, but the client gets no answer.
        case lost
        /// The call is not carried out, and the client gets no answer.
        case cut
    }

    public static let appID = "sage-app"
    public static let email = "worker@example.org"
    public static let password = "swordfish-1234"

    private struct State: Sendable {
        var script = Script()
        var counts: [Call: Int] = [:]
        /// The token of the session. A sign-in ends the account's former session (AuthenticationService.signIn).
        var token: String?
        var refusedTokens: [String] = []
        var uploads: [Upload] = []
        var statusesTold: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let server = Mutex<EndpointServer?>(nil)

    public init() throws {
        let server = try EndpointServer { [weak self] request in self?.handle(request) ?? .lost }
        self.server.withLock { $0 = server }
    }

    public var url: String { endpoint.url + "/" }
    public var requests: [EndpointServer.Request] { endpoint.requests }
    public var uploads: [Upload] { state.withLock(\.uploads) }
    /// The tokens that clients sent after their session had ended.
    public var refusedTokens: [String] { state.withLock(\.refusedTokens) }

    private var endpoint: EndpointServer {
        guard let server = server.withLock(\.self) else { preconditionFailure("set when it was made") }
        return server
    }

    public func count(_ call: Call) -> Int { state.withLock { $0.counts[call, default: 0] } }

    public func script(_ change: (inout Script) -> Void) { state.withLock { change(&$0.script) } }

    public func endSession() { state.withLock { $0.token = nil } }

    /// Removes the file of an upload from the store.
    public func lose(_ id: String) {
        state.withLock { state in
            for index in state.uploads.indices where state.uploads[index].id == id { state.uploads[index].bytes = nil }
        }
    }

    private func handle(_ request: EndpointServer.Request) -> EndpointServer.Answer {
        let words = request.path.split(separator: "/").map(String.init)
        let call: Call
        switch (request.method, words.first, words.dropFirst().first, words.last) {
        case ("POST", "v3", "auth", "signIn"): call = .signIn
        case ("POST", "v3", "uploads", "uploads"): call = .request
        case ("POST", "v3", "uploads", "complete"): call = .complete
        case ("GET", "v3", "uploadstatuses", _): call = .status
        case ("PUT", "store", _, _): call = .put
        default: return .status(404)
        }
        let fault = state.withLock { state in
            state.counts[call, default: 0] += 1
            return state.script.fault(call, state.counts[call, default: 0])
        }
        switch fault {
        case .cut: return .lost
        case .answer(let status, let headers, let body): return .status(status, headers: headers, body: body)
        case .lost:
            _ = perform(call, request, words)
            return .lost
        case nil: return perform(call, request, words)
        }
    }

    private func perform(
        _ call: Call, _ request: EndpointServer.Request, _ words: [String]
    ) -> EndpointServer.Answer {
        state.withLock { state in
            switch call {
            case .signIn: return signIn(request, &state)
            case .put: return put(request, words.last ?? "", &state)
            case .request, .complete, .status: break
            }
            // BaseController.getAuthenticatedSession
            let token = request.headers["bridge-session"] ?? ""
            guard token == state.token else {
                state.refusedTokens.append(token)
                return Self.problem(401, "Not signed in.", "NotAuthenticatedException")
            }
            switch call {
            case .request: return give(request, &state)
            case .complete: return complete(words[words.count - 2], &state)
            default: return tell(words.last ?? "", &state)
            }
        }
    }

    /// "Sign-In": the payload SignIn; 200, or 412 with a session. The answer to a wrong password is that of a missing account.
    private func signIn(_ request: EndpointServer.Request, _ state: inout State) -> EndpointServer.Answer {
        guard request.text("appId") == Self.appID, request.text("email") == Self.email,
            request.text("password") == Self.password
        else { return Self.problem(404, "Account not found.", "EntityNotFoundException") }
        let token = "session-\(state.counts[.signIn, default: 0])-\(UUID().uuidString)"
        state.token = token
        let session: [String: any Sendable] = ["sessionToken": token, "authenticated": true, "type": "UserSessionInfo"]
        return .json(state.script.needsConsent ? 412 : 200, session)
    }

    /// "Call the Upload Request API"; UploadValidator. A repeated request for a missing file gets the same upload (UploadService).
    private func give(_ request: EndpointServer.Request, _ state: inout State) -> EndpointServer.Answer {
        let length = request.json["contentLength"] as? Int ?? 0
        guard let name = request.text("name"), !name.isEmpty, let type = request.text("contentType"),
            let md5 = request.text("contentMd5"), Data(base64Encoded: md5)?.count == 16,
            (1...50_000_000).contains(length)
        else { return Self.problem(400, "UploadRequest is invalid", "InvalidEntityException") }
        let signature = UUID().uuidString
        let isExpired = state.script.expiredURLs > 0
        state.script.expiredURLs -= isExpired ? 1 : 0
        let id: String
        if let index = state.uploads.firstIndex(where: { $0.contentMD5 == md5 && $0.status == "requested" }) {
            id = state.uploads[index].id
            state.uploads[index].signature = signature
            state.uploads[index].isExpired = isExpired
        } else {
            id = UUID().uuidString.lowercased()
            state.uploads.append(
                Upload(
                    id: id, name: name, contentLength: length, contentType: type, contentMD5: md5, signature: signature,
                    isExpired: isExpired, document: request.json))
        }
        let expires = Date(timeIntervalSinceNow: state.script.expiresSeconds).ISO8601Format()
        return .json(
            201,
            [
                "id": id, "url": "\(endpoint.url)/store/\(id)?X-Amz-Signature=\(signature)", "expires": expires,
                "type": "UploadSession",
            ])
    }

    /// "Upload Your Bundle": Content-Length, Content-Type and Content-MD5 must be those of the request; errors are S3's.
    private func put(_ request: EndpointServer.Request, _ id: String, _ state: inout State) -> EndpointServer.Answer {
        func refused(_ status: Int, _ code: String, _ message: String) -> EndpointServer.Answer {
            .status(status, body: "<Error><Code>\(code)</Code><Message>\(message)</Message></Error>")
        }
        guard let index = state.uploads.firstIndex(where: { $0.id == id }) else {
            return refused(403, "AccessDenied", "Access Denied")
        }
        let upload = state.uploads[index]
        guard request.query == "?X-Amz-Signature=\(upload.signature)",
            request.headers["content-md5"] == upload.contentMD5, request.headers["content-type"] == upload.contentType
        else { return refused(403, "SignatureDoesNotMatch", "what is signed is something else: \(request.query)") }
        guard !upload.isExpired else { return refused(403, "AccessDenied", "Request has expired") }
        guard request.isWhole else { return refused(400, "IncompleteBody", "too short") }
        guard request.body.count == upload.contentLength, ReferenceMD5.base64(request.body) == upload.contentMD5 else {
            return refused(400, "BadDigest", "The Content-MD5 you specified did not match what we received.")
        }
        state.uploads[index].bytes = request.body
        return .status(200, headers: ["ETag": "\"etag-\(id)\""])
    }

    /// "Call the Upload Complete API"; UploadService.uploadComplete: 404 while the store lacks the file; a repeated call does nothing.
    private func complete(_ id: String, _ state: inout State) -> EndpointServer.Answer {
        guard let index = state.uploads.firstIndex(where: { $0.id == id }) else {
            return Self.problem(404, "Upload not found.", "EntityNotFoundException")
        }
        if state.uploads[index].status == "requested" {
            guard state.uploads[index].bytes != nil else {
                return Self.problem(404, "Not Found", "NotFoundException")
            }
            state.uploads[index].status = "validation_in_progress"
        }
        return Self.status(state.uploads[index], state.uploads[index].status)
    }

    /// "Validating Your Bundle With Status Calls"
    private func tell(_ id: String, _ state: inout State) -> EndpointServer.Answer {
        guard let index = state.uploads.firstIndex(where: { $0.id == id }) else {
            return Self.problem(404, "Upload not found.", "EntityNotFoundException")
        }
        guard state.uploads[index].status != "requested" else { return Self.status(state.uploads[index], "requested") }
        let told = state.statusesTold[id, default: 0]
        state.statusesTold[id] = told + 1
        state.uploads[index].messages = state.script.messages
        return Self.status(state.uploads[index], state.script.statuses[min(told, state.script.statuses.count - 1)])
    }

    private static func status(_ upload: Upload, _ word: String) -> EndpointServer.Answer {
        var fields: [String: any Sendable] = [
            "id": upload.id, "status": word, "messageList": upload.messages, "type": "UploadValidationStatus",
        ]
        if word == "succeeded" {
            fields["record"] = ["id": "record-\(upload.id)", "type": "HealthData"] as [String: any Sendable]
        }
        return .json(fields)
    }

    private static func problem(_ status: Int, _ message: String, _ type: String) -> EndpointServer.Answer {
        .json(status, ["statusCode": status, "message": message, "type": type])
    }
}
