import Foundation
import Synchronization

extension HTTPFaultProxy {
    /// The proxy's action for a request.
    public enum Action: Sendable {
        case forward
        /// Answers without the server. Reads the request's body first (`drains`), or answers at once and closes.
        case answer(status: Int, headers: [(String, String)] = [], body: String = "", drains: Bool = true)
        /// The server gets the whole request and answers; the client's connection is reset instead.
        case forwardThenCut
        /// As `forwardThenCut`, and the closure runs after the server's answer and before the reset.
        case forwardThenRun(@Sendable () -> Void)
        /// Passes on so many bytes of the body, then resets both connections.
        case cutAfterRequestBytes(Int)
        /// Passes on the answer's head and so many bytes of its body, then closes the connection.
        case truncateAnswer(bytes: Int)
        /// The server gets the whole request and answers; the client gets no byte until it hangs up.
        case stallAnswer
        /// Passes on so many bytes of the body and reads no more, until the client hangs up.
        case stallRequest(afterBytes: Int)
        /// Passes the body on with one bit of the byte at this offset changed.
        case flipRequestBit(at: Int)
        /// Passes the request's body on at this pace.
        case throttle(bytesPerSecond: Int)
        /// Changes the headers that the server gets.
        case rewriteRequest(@Sendable (inout [(name: String, value: String)]) -> Void)
        /// Changes the server's answer, of up to 16 MiB; the proxy sets its length anew.
        case rewriteAnswer(@Sendable (inout Answer) -> Void)
        /// Resets the connection at once.
        case cut
    }

    public struct Request: Sendable {
        public let method: String
        /// The request's target as it was sent: path and query, or a whole URL.
        public let target: String
        /// The path without query and host, still percent-encoded.
        public let path: String
        /// The query's fields, percent-decoded.
        public let query: [String: String]
        public let headers: [(name: String, value: String)]
        /// The number of the request, from 1, over all connections.
        public let number: Int
        /// The number of the connection, from 1.
        public let connection: Int
        let id: Int

        private static let ids = Atomic<Int>(0)

        init(_ head: HTTPHead, number: Int, connection: Int) {
            method = head.words[0]
            target = head.words[1]
            headers = head.fields
            self.number = number
            self.connection = connection
            id = Self.ids.add(1, ordering: .relaxed).newValue
            let parts = HTTPHead.originForm(target).split(separator: "?", maxSplits: 1)
            path = String(parts.first ?? "")
            var query: [String: String] = [:]
            for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
                let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                query[Self.decode(sides[0])] = sides.count > 1 ? Self.decode(sides[1]) : ""
            }
            self.query = query
        }

        /// The first value of a header; names in any case.
        public func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// The part number of an UploadPart; nil for another request.
        public var partNumber: Int? { method == "PUT" ? query["partNumber"].flatMap { Int($0) } : nil }

        private static func decode(_ text: Substring) -> String { text.removingPercentEncoding ?? String(text) }
    }

    /// An answer of the server.
    public struct Answer: Sendable {
        public var status: Int
        public var reason: String
        public var headers: [(name: String, value: String)]
        public var body: [UInt8]

        /// Sets a header, or removes it.
        public mutating func setHeader(_ name: String, _ value: String?) {
            headers.removeAll { $0.name.lowercased() == name.lowercased() }
            if let value { headers.append((name, value)) }
        }
    }

    /// A request and its outcome.
    public struct Record: Sendable {
        public let request: Request
        /// The bytes of its body that were passed on to the server.
        public internal(set) var bodyBytes = 0
        /// Whether its body, of zero bytes or more, was passed on completely.
        public internal(set) var isBodyWhole = false
        /// The status of the server's answer; nil as long as there is none.
        public internal(set) var serverStatus: Int?
        /// The status of the answer to the client; nil as long as there is none.
        public internal(set) var status: Int?

        public var method: String { request.method }
        public var target: String { request.target }
        public var connection: Int { request.connection }
    }
}
