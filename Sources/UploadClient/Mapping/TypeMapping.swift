import Uploads

/// The Swift type for a type name, and the Swift names of its JSON fields.
struct TypeMapping: Sendable {
    /// The field that names an object's type.
    static let typeField = "type"

    let type: String
    let swiftType: any (Codable & SendableMetatype).Type
    private let propertyByField: [String: String]
    private let fieldByProperty: [String: String]

    init(_ type: String, _ swiftType: any (Codable & SendableMetatype).Type) {
        self.type = type
        self.swiftType = swiftType
        propertyByField = [:]
        fieldByProperty = [:]
    }

    init(
        type: String, swiftType: any (Codable & SendableMetatype).Type, fields: [String: String]
    ) throws(UploadError) {
        guard !type.isEmpty else {
            throw UploadError(.misconfigured, "a mapping to \(swiftType) names no type: say which JSON type it is for")
        }
        guard !JSONLeaf.isLeaf(swiftType) else {
            throw UploadError(
                .misconfigured,
                "the type '\(type)' is mapped to \(swiftType), which is no object: map it to a class or struct")
        }
        self.type = type
        self.swiftType = swiftType
        propertyByField = fields
        fieldByProperty = Dictionary(fields.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        guard fieldByProperty.count == fields.count else {
            let twice = Dictionary(grouping: fields.keys) { fields[$0] ?? "" }.filter { $0.value.count > 1 }
            let words = twice.sorted { $0.key < $1.key }.map { "\($0.value.sorted()) for '\($0.key)'" }
            throw UploadError(
                .misconfigured,
                "the mapping of '\(type)' has several fields for one property (\(words.joined(separator: ", "))): name one"
            )
        }
    }

    /// The field for a property; nil if the field of that name is mapped to another property.
    func field(of property: String) -> String? {
        fieldByProperty[property] ?? (propertyByField[property] == nil ? property : nil)
    }

    /// The property that a field fills; nil if another field fills the property of that name.
    func property(of field: String) -> String? {
        propertyByField[field] ?? (fieldByProperty[field] == nil ? field : nil)
    }
}
