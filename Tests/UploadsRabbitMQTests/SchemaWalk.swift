import Foundation
import Testing
import UploadTesting
import Uploads

/// Finds the members of a sample that a schema bounds: numbers, texts, lists and objects, through references, branches,
/// elements and members.
struct SchemaWalk {
    enum Step: Hashable {
        case field(String)
        case element(Int)
    }

    enum Bound {
        case number(minimum: Int64, maximum: Int64, isInteger: Bool)
        /// Characters.
        case text(maximum: Int)
        case list(maximum: Int)
        case members(maximum: Int, areJobs: Bool)
        /// Characters of the members' names.
        case names(maximum: Int)
        /// Bytes of names and values together, which a schema can only describe in words.
        case texts(maximum: Int)
    }

    struct Found {
        let place: String
        let path: [Step]
        let bound: Bound
    }

    private let schemas: [String: JSONValue]
    /// The bounded members of the present sample that no earlier sample had.
    private(set) var found: [Found] = []
    private var seen: Set<String> = []

    init() throws {
        var schemas: [String: JSONValue] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: Python.schemas) {
            let file = URL(filePath: Python.schemas).appending(path: name)
            schemas[name] = try WireJSON.decode(JSONValue.self, from: Data(contentsOf: file))
        }
        self.schemas = schemas
    }

    /// The bounded members of this sample that no earlier sample had.
    mutating func walk(_ schema: String, _ sample: JSONValue) throws -> [Found] {
        found = []
        try visit("\(schema).schema.json", "", sample, [])
        return found
    }

    private func node(_ file: String, _ pointer: String) throws -> JSONValue {
        var node = try #require(schemas[file], "\(file) is not there")
        for name in pointer.split(separator: "/").map(String.init) {
            if case .array(let elements) = node {
                node = elements[try #require(Int(name))]
            } else {
                node = try #require(node[name], "\(file)#\(pointer) is not there")
            }
        }
        return node
    }

    private mutating func visit(_ file: String, _ pointer: String, _ value: JSONValue, _ path: [Step]) throws {
        let node = try node(file, pointer)
        if let reference = node["$ref"]?.string {
            let sides = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            try visit(sides[0].isEmpty ? file : sides[0], sides.count > 1 ? sides[1] : "", value, path)
        }
        for word in ["allOf", "oneOf"] {
            guard case .array(let branches)? = node[word] else { continue }
            for (index, branch) in branches.enumerated() where word == "allOf" || matches(branch, value) {
                try visit(file, "\(pointer)/\(word)/\(index)", value, path)
            }
        }
        if seen.insert("\(file)#\(pointer)").inserted, let bound = try bound(of: node, "\(file)#\(pointer)") {
            found += bound.map { Found(place: "\(file)#\(pointer)", path: path, bound: $0) }
        }
        switch value {
        case .object(let fields):
            for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
                if node["properties"]?[name] != nil {
                    try visit(file, "\(pointer)/properties/\(name)", field, path + [.field(name)])
                } else if node["additionalProperties"] != nil, node["maxProperties"] == nil {
                    // Bounded by the bytes of all together.
                    seen.insert("\(file)#\(pointer)/additionalProperties")
                } else if node["additionalProperties"] != nil {
                    try visit(file, "\(pointer)/additionalProperties", field, path + [.field(name)])
                }
            }
        case .array(let elements):
            guard node["items"] != nil, let first = elements.first else { return }
            try visit(file, "\(pointer)/items", first, path + [.element(0)])
        default: break
        }
    }

    /// Whether the sample fits this branch, by its constants and required members.
    private func matches(_ branch: JSONValue, _ value: JSONValue) -> Bool {
        if case .array(let required)? = branch["required"] {
            guard required.allSatisfy({ name in value[name.string ?? ""] != nil }) else { return false }
        }
        guard case .object(let properties)? = branch["properties"] else { return true }
        return properties.allSatisfy { name, property in
            guard let field = value[name] else { return true }
            if let word = property["const"] { return word == field }
            if case .array(let words)? = property["enum"] { return words.contains(field) }
            return true
        }
    }

    private func bound(of node: JSONValue, _ place: String) throws -> [Bound]? {
        switch node["type"]?.string {
        case "integer"?, "number"?:
            return [
                .number(
                    minimum: try #require(node["minimum"]?.integer, "\(place) has no minimum"),
                    maximum: try #require(node["maximum"]?.integer, "\(place) has no maximum"),
                    isInteger: node["type"]?.string == "integer")
            ]
        case "string"?:
            if node["format"] != nil { return nil }
            if let pattern = node["pattern"]?.string {
                // A pattern that bounds the length itself, or that the texts of the test do not fit.
                guard node["maxLength"] != nil, try "aaaa".contains(Regex(pattern)) else { return nil }
            }
            let maximum = Int(try #require(node["maxLength"]?.integer, "\(place) has no maxLength"))
            return node["contentEncoding"] == nil ? [.text(maximum: maximum)] : nil
        case "array"?:
            // Each word comes at most once.
            if node["uniqueItems"] == .bool(true), node["items"]?["enum"] != nil { return nil }
            return [.list(maximum: Int(try #require(node["maxItems"]?.integer, "\(place) has no maxItems")))]
        case "object"? where node["additionalProperties"] != nil:
            guard let maximum = node["maxProperties"]?.integer else {
                #expect(
                    node["description"]?.string?.contains("64 KiB together") == true, "\(place) has no maxProperties")
                return [.texts(maximum: WireLimits.textsBytesMaximum)]
            }
            let names = node["propertyNames"]
            let areJobs = names?["pattern"] != nil
            return [.members(maximum: Int(maximum), areJobs: areJobs)]
                + (names?["maxLength"]?.integer.map { [.names(maximum: Int($0))] } ?? [])
        default: return nil
        }
    }

    /// Every place of the schemas that sets a bound, or has to, and was in no sample.
    func unseen() -> [String] {
        schemas.flatMap { file, schema in places(schema, "").map { "\(file)#\($0)" } }
            .filter { !seen.contains($0) }.sorted()
    }

    private func places(_ node: JSONValue, _ pointer: String) -> [String] {
        var places: [String] = []
        if ["integer", "number", "string", "array"].contains(node["type"]?.string) { places.append(pointer) }
        func below(_ word: String) -> [String] {
            switch node[word] {
            case .object(let fields)?: fields.flatMap { self.places($0.value, "\(pointer)/\(word)/\($0.key)") }
            case .array(let branches)?:
                branches.enumerated().flatMap { self.places($0.element, "\(pointer)/\(word)/\($0.offset)") }
            default: []
            }
        }
        for word in ["properties", "$defs", "oneOf"] { places += below(word) }
        for word in ["items", "additionalProperties"] {
            if let node = node[word] { places += self.places(node, "\(pointer)/\(word)") }
        }
        return places
    }
}

extension JSONValue {
    /// The same value with another value at a place.
    func replacing(_ path: ArraySlice<SchemaWalk.Step>, _ change: (JSONValue) -> JSONValue) -> JSONValue {
        guard let step = path.first else { return change(self) }
        switch (step, self) {
        case (.field(let name), .object(var fields)):
            fields[name] = fields[name]?.replacing(path.dropFirst(), change)
            return .object(fields)
        case (.element(let index), .array(var elements)):
            elements[index] = elements[index].replacing(path.dropFirst(), change)
            return .array(elements)
        default: return self
        }
    }

    /// How deep arrays and objects nest.
    var depth: Int {
        switch self {
        case .array(let values): 1 + (values.map(\.depth).max() ?? 0)
        case .object(let fields): 1 + (fields.values.map(\.depth).max() ?? 0)
        default: 0
        }
    }
}
