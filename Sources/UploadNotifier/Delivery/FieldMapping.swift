public import Uploads

/// Defines the `data` of an event for a receiver, under the names that it already knows: fields of the event under other names, and
/// constants; nothing else.
///
/// A source is the path of a field in the event (`subject`, `data.job.metadata.order`, `data.object.location`), or a
/// constant after `=`: JSON is taken as that value (`=1`, `=true`, `="1"`), everything else is text (`=done`). A field
/// that an event does not have is left out.
public struct FieldMapping: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        case path([String])
        case constant(JSONValue)
    }

    let fields: [String: Source]
    /// The sources as they were written.
    let texts: [String: String]

    /// - Parameter fields: sources by the names that the receiver knows.
    /// - Throws: `misconfigured` for an empty name or path, or a first step that no event has.
    public init(_ fields: [String: String]) throws(UploadError) {
        var sources: [String: Source] = [:]
        for (name, text) in fields { sources[name] = try Self.source(text, of: name) }
        self.fields = sources
        texts = fields
    }

    /// The event's fields under their new names.
    public func callAsFunction(_ event: JSONValue) -> JSONValue {
        .object(
            fields.compactMapValues { source in
                switch source {
                case .constant(let value): value
                case .path(let steps): Self.value(at: steps[...], in: event)
                }
            })
    }

    /// Keys may contain dots themselves (metadata): the longest matching key counts.
    private static func value(at steps: ArraySlice<String>, in value: JSONValue) -> JSONValue? {
        guard !steps.isEmpty else { return value }
        if case .array(let items) = value, let first = steps.first, let index = Int(first) {
            return items.indices.contains(index) ? Self.value(at: steps.dropFirst(), in: items[index]) : nil
        }
        for count in stride(from: steps.count, to: 0, by: -1) {
            if let inner = value[steps.prefix(count).joined(separator: ".")],
                let found = Self.value(at: steps.dropFirst(count), in: inner)
            {
                return found
            }
        }
        return nil
    }

    private static func source(_ text: String, of name: String) throws(UploadError) -> Source {
        guard !name.isEmpty else { throw UploadError(.misconfigured, "a field without a name") }
        if text.hasPrefix("=") {
            let constant = String(text.dropFirst())
            let value = try? WireJSON.decode(JSONValue.self, from: .init(constant.utf8))
            return .constant(value ?? .string(constant))
        }
        let steps = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !steps.contains("") else {
            throw UploadError(
                .misconfigured, "field '\(name)': '\(text)' is no path; write it like data.object.location, or =text")
        }
        guard roots.contains(steps[0]) else {
            throw UploadError(
                .misconfigured,
                """
                field '\(name)': no event has '\(steps[0])'; a path begins with one of \
                \(roots.joined(separator: ", ")), and a constant with '='
                """)
        }
        return .path(steps)
    }

    private static let roots = ["data", "id", "source", "specversion", "subject", "time", "type"]
}
