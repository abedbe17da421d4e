public import Foundation

/// The place in a stream where a consumer begins (`x-stream-offset`).
public enum StreamOffset: Hashable, Sendable {
    /// At the oldest message that is still kept.
    case first
    /// At the last chunk of messages.
    case last
    /// At the next published message. If a reconnect comes before the first delivery, the messages in between are
    /// missed.
    case next
    /// At this offset, or at the next one that is kept.
    case offset(UInt64)
    /// At the chunk that holds this time: deliveries may begin somewhat before it.
    case timestamp(Date)

    var argument: FieldValue {
        switch self {
        case .first: "first"
        case .last: "last"
        case .next: "next"
        case .offset(let offset): .int64(Int64(clamping: offset))
        case .timestamp(let date): .timestamp(date)
        }
    }
}
