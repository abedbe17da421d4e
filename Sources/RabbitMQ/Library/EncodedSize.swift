import Foundation

// Sizes of values on the wire. A header or method must fit in one frame, which is checked before any part is sent.

extension Message {
    /// An upper bound for the content header's payload.
    var headerBytes: Int {
        let texts = [
            contentType, contentEncoding, correlationID, replyTo, expiration, messageID, type, userID, appID,
        ]
        return texts.reduce(14 + 2 + 8 + 4 + headers.encodedBytes) { $0 + ($1.map { $0.utf8.count + 1 } ?? 0) }
    }
}

extension Table {
    fileprivate var encodedBytes: Int { reduce(4) { $0 + 1 + $1.key.utf8.count + $1.value.encodedBytes } }
}

extension FieldValue {
    fileprivate var encodedBytes: Int {
        switch self {
        case .null: 1
        case .bool, .int8, .uint8: 2
        case .int16, .uint16: 3
        case .int32, .uint32, .float: 5
        case .decimal: 6
        case .int64, .double, .timestamp: 9
        case .uint64: 25
        case .string(let value): 5 + value.utf8.count
        case .bytes(let value): 5 + value.count
        case .table(let value): 1 + value.encodedBytes
        case .array(let values): values.reduce(5) { $0 + $1.encodedBytes }
        }
    }
}
