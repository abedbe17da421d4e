import Foundation

/// Parses a stream of server-sent events (HTML standard, section 9.2.6) that arrives in pieces of any size.
struct EventStreamParser {
    struct Message: Hashable {
        /// The value of `Last-Event-ID` after this message.
        var id: String
        var type: String
        var data: String
    }

    /// The most bytes of an event; a notifier sends no larger one.
    static let bytesMaximum = 1 << 20

    /// The place to go on from when the connection breaks; empty if the server named none.
    private(set) var lastID = ""
    /// Milliseconds after which the server wants a reader to reconnect.
    private(set) var retryMilliseconds: Int?
    private var line: [UInt8] = []
    private var endedWithReturn = false
    private var isFirstLine = true
    /// Becomes ``lastID`` when its event is complete: an event that was cut off comes again.
    private var nextID = ""
    private var type = ""
    private var data: [UInt8] = []
    private var hasData = false

    /// Parses the next bytes of the stream.
    /// - Returns: the messages that these bytes complete.
    /// - Throws: `unavailable` for an event that is too large.
    mutating func take(_ bytes: some Sequence<UInt8>) throws(ProgramError) -> [Message] {
        var messages: [Message] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n") where endedWithReturn: endedWithReturn = false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                endedWithReturn = byte == UInt8(ascii: "\r")
                if let message = endLine() { messages.append(message) }
            default:
                endedWithReturn = false
                line.append(byte)
                guard line.count + data.count <= Self.bytesMaximum else {
                    throw ProgramError(.unavailable, "the server's events are not those of a notifier; check --api")
                }
            }
        }
        return messages
    }

    /// Forgets the event that was cut off; the next connection begins with a whole one.
    mutating func disconnected() {
        line = []
        endedWithReturn = false
        isFirstLine = true
        nextID = lastID
        (type, data, hasData) = ("", [], false)
    }

    private mutating func endLine() -> Message? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else {
            defer { (type, data, hasData) = ("", [], false) }
            lastID = nextID
            guard hasData else { return nil }
            return Message(
                id: lastID, type: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self))
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: line[..<(colon ?? line.endIndex)], as: UTF8.self) {
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        case "event": type = String(decoding: value, as: UTF8.self)
        case "id" where !value.contains(0): nextID = String(decoding: value, as: UTF8.self)
        case "retry":
            if !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) {
                retryMilliseconds = Int(String(decoding: value, as: UTF8.self))
            }
        default: break
        }
        return nil
    }
}
