import Foundation
import Synchronization
import UploadTesting

/// A fault of an S3 server or of the network to it, as `faults.json` describes it.
struct DestinationFault: Codable, Sendable {
    enum Operation: String, Codable {
        case create, part, complete, put, head
    }

    enum Kind: String, Codable {
        /// The connection is reset: at once, after `bytes` of the body, or (`lost`) after the server has carried out the request.
        case reset, resetInBody, lost
        /// No more bytes pass until the client gives up.
        case stallRequest, stallAnswer
        /// The client gets `status`, `headers` and `body` instead of the server's answer; the server does not see the request.
        case answer
        /// As `answer`, but the server has carried out the request.
        case answerAfterwards
        /// The server's answer ends after `bytes` of its body.
        case truncateAnswer
        /// The body passes at `bytes` a second.
        case slow
        /// Another program aborts the session.
        case abortSession
    }

    let name: String
    let on: Operation
    let kind: Kind
    /// The number of requests that the fault hits; 1 if left out.
    var times: Int?
    /// The part that the fault hits; nil: any.
    var part: Int?
    var bytes: Int?
    var status: Int?
    var headers: [String: String]?
    var body: String?

    /// - Throws: if the list is missing or has an invalid entry.
    static func all() throws -> [DestinationFault] {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "faults.json")
        return try JSONDecoder().decode([DestinationFault].self, from: Data(contentsOf: url))
    }

    private func matches(_ request: HTTPFaultProxy.Request) -> Bool {
        switch on {
        case .create: request.method == "POST" && request.query["uploads"] != nil
        case .part: request.partNumber.map { part == nil || part == $0 } ?? false
        case .complete: request.method == "POST" && request.query["uploadId"] != nil
        case .put: request.method == "PUT" && request.partNumber == nil
        case .head: request.method == "HEAD"
        }
    }

    /// - Parameters:
    ///   - hits: counts the requests that the fault hit.
    ///   - abort: aborts a session at the server and returns when the session is gone.
    func rule(
        hits: Counter, abort: @escaping @Sendable (_ uploadID: String) -> Void
    ) -> HTTPFaultProxy.Rule {
        { request in
            guard matches(request), hits.next(upTo: times ?? 1) else { return .forward }
            switch kind {
            case .reset: return .cut
            case .resetInBody: return .cutAfterRequestBytes(bytes ?? 0)
            case .lost: return .forwardThenCut
            case .stallRequest: return .stallRequest(afterBytes: bytes ?? 0)
            case .stallAnswer: return .stallAnswer
            case .answer:
                return .answer(
                    status: status ?? 500, headers: (headers ?? [:]).map { ($0.key, $0.value) }, body: body ?? "")
            case .answerAfterwards:
                return .rewriteAnswer { answer in
                    if let status { answer.status = status }
                    for (name, value) in headers ?? [:] { answer.setHeader(name, value) }
                    if let body { answer.body = Array(body.utf8) }
                }
            case .truncateAnswer: return .truncateAnswer(bytes: bytes ?? 0)
            case .slow: return .throttle(bytesPerSecond: bytes ?? 1 << 20)
            case .abortSession:
                if let id = request.query["uploadId"] { abort(id) }
                return .forward
            }
        }
    }
}

/// Counts up to a limit, from any thread.
final class Counter: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    /// - Returns: whether the count was below the limit; only then it counts.
    func next(upTo limit: Int) -> Bool {
        state.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }
}
