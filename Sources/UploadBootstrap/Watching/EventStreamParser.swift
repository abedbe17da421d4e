import Foundation

/// Takes a stream of server-sent events apart (HTML standard, section 9.2.6), in whatever pieces it comes.
struct EventStreamParser {
    struct Message: Hashable {
        /// What `Last-Event-ID` is after this one.
        var id: String
        var type: String
        var data: String
    }

    /// Bytes of an event: more is no notifier's.
    static let bytesMaximum = 1 << 20

    /// The place to go on from after a break; empty where the server named none.
    private(set) var lastID = ""
    /// Milliseconds that the server wants a break to last.
    private(set) var retryMilliseconds: Int?
    private var line: [UInt8] = []
    private var endedWithReturn = false
    private var isFirstLine = true
    /// Counts once its event is whole: one that was cut off comes again.
    private var nextID = ""
    private var type = ""
    private var data: [UInt8] = []
    private var hasData = false

    /// The messages that are complete with these bytes.
    /// - Throws: `unavailable` for an event without end.
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
                    throw ProgramError(.unavailable, "the events that came are none of a notifier; check --api")
                }
            }
        }
        return messages
    }

    /// Forgets what was cut off; the next connection begins at a new event.
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
