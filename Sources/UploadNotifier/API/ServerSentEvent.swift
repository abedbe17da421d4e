import Foundation
import Uploads

/// An event of a stream (HTML standard, section 9.2: server-sent events).
struct ServerSentEvent: Sendable {
    /// The reader sends it back as `Last-Event-ID`; nil leaves the reader's last id unchanged.
    var id: String?
    var type: String
    /// JSON without line ends.
    var data: Data

    var bytes: [UInt8] {
        let place = id.map { "id: \($0)\n" } ?? ""
        return Array("\(place)event: \(type)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }

    /// Keeps the connection, and proxies on the way, from timing out.
    static let heartbeat = Array(": still here\n\n".utf8)
    /// Tells the reader to wait 2 s before it reconnects, and where to go on if it was sent no event yet.
    static func beginning(after sequence: Int64) -> [UInt8] { Array("retry: 2000\nid: \(sequence)\n\n".utf8) }
}
