import Foundation
import Uploads

/// Which dead letters a command is about; a field that is nil matches all.
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

    /// Whether the filter has any condition.
    public var isNarrow: Bool { !fields.isEmpty }

    /// The conditions by the API's names for them.
    var fields: [(name: String, value: String)] {
        [
            ("type", type), ("reason", reason), ("since", since.map { WireJSON.timestamp($0) }),
            ("until", until.map { WireJSON.timestamp($0) }),
        ].compactMap { name, value in value.map { (name, $0) } }
    }
}
