import Foundation
import Uploads

/// Writes objects as JSON with the mappings of one moment.
struct MappingWriter {
    let table: MappingTable

    /// nil: the mapper cannot write the object.
    func json(from object: Any?) throws(UploadError) -> JSONValue? {
        guard let object = Self.unwrapped(object) else { return nil }
        switch object {
        case is Data, is URL: return nil
        case is NSNull: return .null
        case _ where type(of: object) is NSNumber.Type: return (object as? NSNumber).map(JSONLeaf.number)
        case let elements as [Any]: return try array(elements)
        case let elements as Set<AnyHashable>: return try array(elements.map(\.base))
        case let fields as [String: Any]:
            var json: [String: JSONValue] = [:]
            for (name, value) in fields {
                guard let value = try element(value) else { return nil }
                json[name] = value
            }
            return .object(json)
        default: break
        }
        do {
            if let leaf = try JSONLeaf.write(object, at: []) { return leaf }
            guard !table.mappings(of: type(of: object)).isEmpty, let mapped = object as? any Encodable else {
                return nil
            }
            return try write(mapped, at: [])
        } catch {
            throw .cannotBeWritten(type(of: object), error)
        }
    }

    /// Writes a value inside an object: every `Encodable` type, mapped or not.
    func write<Value: Encodable>(_ value: Value, at path: [any CodingKey]) throws -> JSONValue {
        if let leaf = try JSONLeaf.write(value, at: path) { return leaf }
        let encoder = MappingEncoder(writer: self, codingPath: path)
        try value.encode(to: encoder)
        let json = encoder.node.json ?? .object([:])
        let dynamic = table.mappings(of: type(of: value as Any))
        return try renamed(json, value, dynamic.isEmpty ? table.mappings(of: Value.self) : dynamic, path)
    }

    private func renamed(
        _ json: JSONValue, _ value: Any, _ candidates: [TypeMapping], _ path: [any CodingKey]
    ) throws -> JSONValue {
        let keeper = value as? any KeepsUnknownFields
        guard case .object(var properties) = json else {
            guard candidates.isEmpty else {
                throw MappingProblem.encoding("is mapped, but its code writes no object", value, at: path)
            }
            return json
        }
        if keeper != nil { properties[unknownFieldsProperty] = nil }
        var fields = try candidates.isEmpty ? properties : rename(properties, value, candidates, path)
        for (name, value) in keeper?.unknownFields ?? [:] where fields[name] == nil { fields[name] = value }
        return .object(fields)
    }

    private func rename(
        _ properties: [String: JSONValue], _ value: Any, _ candidates: [TypeMapping], _ path: [any CodingKey]
    ) throws -> [String: JSONValue] {
        func stated(_ mapping: TypeMapping) -> String? {
            mapping.property(of: TypeMapping.typeField).flatMap { properties[$0]?.string }
        }
        guard let mapping = candidates.last(where: { stated($0) == $0.type }) ?? candidates.last else {
            return properties
        }
        if let other = stated(mapping), other != mapping.type {
            throw MappingProblem.encoding(
                "says another type than '\(mapping.type)', which it is mapped to", value,
                at: path + [MappingKey(TypeMapping.typeField)])
        }
        var fields: [String: JSONValue] = [:]
        for (property, value) in properties {
            guard let field = mapping.field(of: property) else {
                throw MappingProblem.encoding(
                    "has no field: the field of its name is mapped to another property of '\(mapping.type)'", value,
                    at: path + [MappingKey(property)])
            }
            fields[field] = value
        }
        fields[TypeMapping.typeField] = .string(mapping.type)
        return fields
    }

    private func array(_ elements: [Any]) throws(UploadError) -> JSONValue? {
        var json: [JSONValue] = []
        for value in elements {
            guard let value = try element(value) else { return nil }
            json.append(value)
        }
        return .array(json)
    }

    private func element(_ value: Any) throws(UploadError) -> JSONValue? {
        guard let value = Self.unwrapped(value) else { return .null }
        return try json(from: value)
    }

    /// An optional in an `Any` is not nil by itself.
    private static func unwrapped(_ value: Any?) -> Any? {
        guard let value else { return nil }
        guard let optional = value as? any OptionalValue else { return value }
        return unwrapped(optional.value)
    }
}

private protocol OptionalValue { var value: Any? { get } }

extension Optional: OptionalValue {
    fileprivate var value: Any? { self }
}
