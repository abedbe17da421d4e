import Foundation
import Uploads

/// Which dead letters are meant; what is nil matches any.
public struct DeadLetterFilter: Sendable {
    var type: String?
    var reason: String?
    var since: Date?
    var until: Date?

    init(type: String? = nil, reason: String? = nil, since: Date? = nil, until: Date? = nil) {
        self.type = type
        self.reason = reason
        self.since = since
        self.until = until
    }

    /// Whether it says anything.
    public var isNarrow: Bool { !fields.isEmpty }

    /// As the API reads it.
    var fields: [(name: String, value: String)] {
        [
            ("type", type), ("reason", reason), ("since", since.map { WireJSON.timestamp($0) }),
            ("until", until.map { WireJSON.timestamp($0) }),
        ].compactMap { name, value in value.map { (name, $0) } }
    }
}
