import Foundation
import ResumableTesting
import Synchronization
import UploadTesting

/// A scripted server that follows draft-ietf-httpbis-resumable-upload, because no server of versions 7 and 8 is available here. Sections
/// are those of draft -11 ("interop version 8"); differences of draft -06 ("7") are included.
final class DraftServer: ResumableServer {
    struct Behaviour: Sendable {
        /// The version that the server speaks.
        var interop = 8
        /// "Limits": announced with OPTIONS, and with every answer about an upload.
        var limit: String?
        /// "a server … MUST include the Accept-Patch header field in response to an OPTIONS request": from draft -10 on.
        var acceptsPatch = true
        /// Whether the server refuses OPTIONS with another version and says that it speaks tus, as tusd 2.9 does.
        var refusesOthers = false
        /// "the server SHOULD keep the upload resource available for a reasonable amount of time after the upload is complete"
        var keepsComplete = true
        /// "the response MUST include the Upload-Complete header field with a true value"; not every server does.
        var saysComplete = true
        /// The status that ends the processing of a file.
        var outcome = "201 Created"
        /// Further headers in the answer about a file.
        var headers: [String] = []
    }

    struct Upload: Sendable {
        var path: String
        var bytes: [UInt8] = []
        var length: Int?
        var isComplete = false
        /// The head of the request that created the upload.
        var head: String
    }

    private struct State {
        var behaviour: Behaviour
        var uploads: [String: Upload] = [:]
        var files: [String: [UInt8]] = [:]
        var count = 0
    }

    private let state: Box
    private let server: ScriptedServer

    private final class Box: Sendable {
        let value: Mutex<State>
        init(_ state: State) { value = Mutex(state) }
    }

    init(_ behaviour: Behaviour = Behaviour()) throws {
        let state = Box(State(behaviour: behaviour))
        self.state = state
        server = try ScriptedServer { connection in Exchange(connection, state)?.run() }
    }

    var port: Int { server.port }

    func stored(_ path: String) -> [UInt8]? { state.value.withLock { $0.files[path] } }
    var uploads: [Upload] { state.value.withLock { $0.uploads.sorted { $0.key < $1.key }.map(\.value) } }
    func change(_ change: (inout Behaviour) -> Void) { state.value.withLock { change(&$0.behaviour) } }
    /// Removes the uploads, as after their time.
    func forgetUploads() { state.value.withLock { $0.uploads = [:] } }

    private struct Exchange {
        let connection: ScriptedServer.Connection
        let state: Box
        let head: String
        let method: String
        let path: String
        let headers: [String: String]
        let behaviour: Behaviour

        init?(_ connection: ScriptedServer.Connection, _ state: Box) {
            self.connection = connection
            self.state = state
            head = connection.readHead()
            let lines = head.components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ").map(String.init)
            guard words.count == 3 else { return nil }
            method = words[0]
            path = words[1]
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let pair = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if pair.count == 2 { headers[pair[0].lowercased()] = pair[1] }
            }
            self.headers = headers
            behaviour = state.value.withLock { $0.behaviour }
        }

        private var contentLength: Int { headers["content-length"].flatMap { Int($0) } ?? 0 }
        private var isLast: Bool { headers["upload-complete"] == "?1" }
        private var limits: [String] { behaviour.limit.map { ["Upload-Limit: \($0)"] } ?? [] }
        private var speaks: Bool { headers["upload-draft-interop-version"] == String(behaviour.interop) }

        func run() {
            let id = path.hasPrefix("/files/uploads/") ? String(path.dropFirst("/files/uploads/".count)) : nil
            switch (method, id) {
            case ("OPTIONS", _): options()
            case ("HEAD", let id?): offset(id)
            case ("PATCH", let id?): append(id)
            case ("DELETE", let id?): cancel(id)
            // For the server, requests of another version do not concern uploads ("Draft Version Identification").
            case ("POST", nil) where speaks && headers["upload-complete"] != nil,
                ("PUT", nil) where speaks && headers["upload-complete"] != nil:
                create()
            case ("POST", nil), ("PUT", nil): plain()
            default: connection.answer("405 Method Not Allowed")
            }
        }

        /// "Limits": "A client can use an OPTIONS request to discover support".
        private func options() {
            guard speaks || !behaviour.refusesOthers else {
                return connection.answer("412 Precondition Failed", headers: ["Tus-Resumable: 1.0.0"])
            }
            let types = behaviour.acceptsPatch ? ["Accept-Patch: text/plain, application/partial-upload"] : []
            connection.answer("204 No Content", headers: types + limits)
        }

        private func body(_ take: (ArraySlice<UInt8>) -> Void) -> Bool {
            connection.read(contentLength, take) == contentLength
        }

        private func process(_ path: String, _ bytes: [UInt8], complete: Bool) {
            let key = String(path.dropFirst("/files/".count)).removingPercentEncoding ?? path
            if behaviour.outcome.hasPrefix("2") { state.value.withLock { $0.files[key] = bytes } }
            // "Responses to Uploads"
            let says = complete && behaviour.saysComplete ? ["Upload-Complete: ?1"] : []
            connection.answer(behaviour.outcome, headers: says + behaviour.headers, body: "processed")
        }

        private func plain() {
            var bytes: [UInt8] = []
            guard body({ bytes += $0 }) else { return }
            process(path, bytes, complete: false)
        }

        /// "Upload Creation", "Server Behavior".
        private func create() {
            var bytes: [UInt8] = []
            guard body({ bytes += $0 }) else { return }
            if isLast { return process(path, bytes, complete: true) }
            let id = state.value.withLock { state in
                state.count += 1
                let id = "\(state.count)"
                state.uploads[id] = Upload(
                    path: path, bytes: bytes, length: headers["upload-length"].flatMap { Int($0) }, head: head)
                return id
            }
            // "the server MUST include the Location response header field … and MUST include the Upload-Limit header field"
            connection.write(
                "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: \(behaviour.interop)\r\n"
                    + "Location: /files/uploads/\(id)\r\n\r\n")
            connection.answer("201 Created", headers: ["Location: /files/uploads/\(id)"] + limits)
        }

        /// "Offset Retrieval", "Server Behavior".
        private func offset(_ id: String) {
            guard let upload = state.value.withLock({ $0.uploads[id] }) else {
                return connection.answer("404 Not Found")
            }
            let length = upload.length.map { ["Upload-Length: \($0)"] } ?? []
            connection.write(
                ([
                    "HTTP/1.1 204 No Content", "Upload-Offset: \(upload.bytes.count)",
                    "Upload-Complete: \(upload.isComplete ? "?1" : "?0")", "Cache-Control: no-store",
                    "Connection: close",
                ] + length + limits).joined(separator: "\r\n") + "\r\n\r\n")
        }

        /// "Upload Append", "Server Behavior".
        private func append(_ id: String) {
            guard let upload = state.value.withLock({ $0.uploads[id] }) else { return refuse("404 Not Found") }
            guard headers["content-type"] == "application/partial-upload" else {
                return refuse("415 Unsupported Media Type")
            }
            guard headers["upload-complete"] != nil, let offset = headers["upload-offset"].flatMap({ Int($0) }) else {
                return refuse("400 Bad Request")
            }
            guard !upload.isComplete else { return refuse("400 Bad Request", problem: "completed-upload") }
            guard offset == upload.bytes.count else {
                return refuse(
                    "409 Conflict", problem: "mismatching-upload-offset",
                    ["Upload-Offset: \(upload.bytes.count)", "Upload-Complete: ?0"])
            }
            let isWhole = body { bytes in state.value.withLock { $0.uploads[id]?.bytes += bytes } }
            // "the server SHOULD append as much of the patch document as possible"
            guard isWhole else { return }
            if isLast {
                let whole = state.value.withLock { state in
                    state.uploads[id]?.isComplete = true
                    return state.uploads[id]
                }
                if !behaviour.keepsComplete { state.value.withLock { $0.uploads[id] = nil } }
                return process(upload.path, whole?.bytes ?? [], complete: true)
            }
            // "the upload resource acknowledges the appended data by sending a 2xx response with … Upload-Complete … set to false"; the
            // offset is not required from draft -06 on.
            connection.write("HTTP/1.1 204 No Content\r\nUpload-Complete: ?0\r\nConnection: close\r\n\r\n")
        }

        /// "Upload Cancellation".
        private func cancel(_ id: String) {
            let isThere = state.value.withLock { $0.uploads.removeValue(forKey: id) != nil }
            connection.write(
                "HTTP/1.1 \(isThere ? "204 No Content" : "404 Not Found")\r\nConnection: close\r\n\r\n")
        }

        /// "Problem Types"
        private func refuse(_ status: String, problem: String? = nil, _ headers: [String] = []) {
            connection.read(contentLength)
            guard let problem else { return connection.answer(status, headers: headers) }
            connection.answer(
                status, headers: headers + ["Content-Type: application/problem+json"],
                body: #"{"type": "https://iana.org/assignments/http-problem-types#\#(problem)"}"#)
        }
    }
}
