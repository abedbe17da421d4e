import Uploads

/// A place in JSON that is being written: containers of the same place share it, and nested containers fill it later.
final class JSONNode {
    private enum Content {
        case nothing
        case value(JSONValue)
        case array([JSONNode])
        case object([String: JSONNode])
    }

    private var content = Content.nothing

    init() {}

    /// nil if no value was written.
    var json: JSONValue? {
        switch content {
        case .nothing: nil
        case .value(let value): value
        case .array(let elements): .array(elements.map { $0.json ?? .object([:]) })
        case .object(let fields): .object(fields.mapValues { $0.json ?? .object([:]) })
        }
    }

    var count: Int { if case .array(let elements) = content { elements.count } else { 0 } }

    func become(_ value: JSONValue) { content = .value(value) }

    func becomeArray() {
        if case .array = content { return }
        content = .array([])
    }

    func becomeObject() {
        switch content {
        case .object: return
        case .value(.object(let fields)): content = .object(fields.mapValues { JSONNode($0) })
        case .nothing, .value, .array: content = .object([:])
        }
    }

    func field(_ name: String) -> JSONNode {
        let node = JSONNode()
        becomeObject()
        if case .object(var fields) = content {
            fields[name] = node
            content = .object(fields)
        }
        return node
    }

    func append() -> JSONNode {
        let node = JSONNode()
        becomeArray()
        if case .array(var elements) = content {
            elements.append(node)
            content = .array(elements)
        }
        return node
    }

    private init(_ value: JSONValue) { content = .value(value) }
}
