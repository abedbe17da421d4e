import Foundation
import Synchronization

/// A small API on loopback: the test's handler gets each request with its body, and answers it. One request a connection.
public final class EndpointServer: Sendable {
    public struct Request: Sendable {
        public let method: String
        /// The path without the query, still percent-encoded.
        public let path: String
        /// The query as it was sent, with its `?`; empty without one.
        public let query: String
        /// The header fields, with names in lower case.
        public let headers: [String: String]
        public let body: [UInt8]
        /// Whether the body has the announced length.
        public let isWhole: Bool

        /// The body as a JSON object.
        public var json: [String: any Sendable] { (try? decoded()) ?? [:] }

        public func text(_ name: String) -> String? { json[name] as? String }

        private func decoded() throws -> [String: any Sendable]? {
            try JSONSerialization.jsonObject(with: Data(body)) as? [String: any Sendable]
        }
    }

    public enum Answer: Sendable {
        case status(Int, headers: [String: String] = [:], body: String = "")
        /// The request is carried out, but the client gets no answer.
        case lost

        public static func json(_ fields: [String: any Sendable]) -> Answer { json(200, fields) }

        public static func json(_ status: Int, _ fields: [String: any Sendable]) -> Answer {
            let data = (try? JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)) ?? Data()
            return .status(
                status, headers: ["Content-Type": "application/json"], body: String(decoding: data, as: UTF8.self))
        }
    }

    /// The server calls it for each request on a thread of its own.
    public typealias Handler = @Sendable (Request) -> Answer

    private let server: ScriptedServer
    private let log: Log

    private final class Log: Sendable {
        let requests = Mutex<[Request]>([])
    }

    public init(_ handler: @escaping Handler) throws {
        let log = Log()
        self.log = log
        server = try ScriptedServer { connection in
            let lines = connection.readHead().components(separatedBy: "\r\n")
            let words = (lines.first ?? "").split(separator: " ").map(String.init)
            guard words.count == 3 else { return }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let sides = line.split(separator: ":", maxSplits: 1).map(String.init)
                if sides.count == 2 { headers[sides[0].lowercased()] = sides[1].trimmingCharacters(in: .whitespaces) }
            }
            let length = headers["content-length"].flatMap { Int($0) } ?? 0
            let body = connection.readBytes(length)
            let path = words[1].prefix { $0 != "?" }
            let request = Request(
                method: words[0], path: String(path), query: String(words[1].dropFirst(path.count)), headers: headers,
                body: body, isWhole: body.count == length)
            log.requests.withLock { $0.append(request) }
            switch handler(request) {
            case .lost: connection.reset()
            case .status(let status, let headers, let body):
                connection.answer(
                    "\(status) \(status < 400 ? "OK" : "Error")", headers: headers.map { "\($0.key): \($0.value)" },
                    body: body)
            }
        }
    }

    public var url: String { "http://127.0.0.1:\(server.port)" }

    /// All requests so far, in the order of their arrival.
    public var requests: [Request] { log.requests.withLock(\.self) }

    public func forget() { log.requests.withLock { $0 = [] } }
}
