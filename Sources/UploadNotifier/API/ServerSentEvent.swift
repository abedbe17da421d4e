import Foundation
import Uploads

/// An event of a stream (HTML standard, section 9.2: server-sent events).
struct ServerSentEvent: Sendable {
    /// Comes back as `Last-Event-ID`; nil leaves that as it was.
    var id: String?
    var type: String
    /// JSON: no line ends.
    var data: Data

    var bytes: [UInt8] {
        let place = id.map { "id: \($0)\n" } ?? ""
        return Array("\(place)event: \(type)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }

    /// Keeps the connection, and proxies on the way, from falling asleep.
    static let heartbeat = Array(": still here\n\n".utf8)
    /// What a reader that was cut off waits before it comes back, 2 s, and where it goes on if it was sent nothing yet.
    static func beginning(after sequence: Int64) -> [UInt8] { Array("retry: 2000\nid: \(sequence)\n\n".utf8) }
}
