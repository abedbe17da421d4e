public import Uploads

/// For a mapped type that keeps fields it does not know: fields of a newer server survive being read and written.
///
/// The mapper fills ``unknownFields`` with the fields that decoding did not ask for, and writes them again; if the type
/// knows a field by then, its own value wins. Without this protocol such fields are dropped. Declare the property
/// optional and without a coding key of its own, or with the key that the compiler makes.
public protocol KeepsUnknownFields {
    /// By their names in the JSON; nil or empty: none. The `type` field is never among them.
    var unknownFields: [String: JSONValue]? { get set }
}

extension KeepsUnknownFields {
    func keeping(_ unknown: [String: JSONValue]) -> Self {
        var copy = self
        copy.unknownFields = unknown.isEmpty ? nil : unknown
        return copy
    }
}

/// The name of the property that the protocol asks for.
let unknownFieldsProperty = "unknownFields"
