/// Maps type names to Swift types: the mappings that were set up, then the defaults.
struct MappingTable: Sendable {
    /// The object types of the Bridge upload API.
    static let defaults: [TypeMapping] = [
        TypeMapping("Upload", BridgeUpload.self),
        TypeMapping("UploadRedriveList", BridgeUploadRedriveList.self),
        TypeMapping("UploadRequest", BridgeUploadRequest.self),
        TypeMapping("UploadSession", BridgeUploadSession.self),
        TypeMapping("UploadValidationStatus", BridgeUploadValidationStatus.self),
    ]

    private var byName: [String: TypeMapping] = [:]
    /// The defaults, then the mappings that were set up, the latest last.
    private var bySwiftType: [ObjectIdentifier: [TypeMapping]]

    init() {
        bySwiftType = Dictionary(grouping: Self.defaults) { ObjectIdentifier($0.swiftType) }
    }

    mutating func setUp(_ mapping: TypeMapping) {
        clear(mapping.type)
        byName[mapping.type] = mapping
        bySwiftType[ObjectIdentifier(mapping.swiftType), default: []].append(mapping)
    }

    mutating func clear(_ type: String) {
        guard let mapping = byName.removeValue(forKey: type) else { return }
        let swiftType = ObjectIdentifier(mapping.swiftType)
        let standard = Self.defaults.filter { ObjectIdentifier($0.swiftType) == swiftType }
        let others = bySwiftType[swiftType, default: []].dropFirst(standard.count).filter { $0.type != type }
        bySwiftType[swiftType] = standard + others
    }

    func mapping(named type: String) -> TypeMapping? {
        byName[type] ?? Self.defaults.first { $0.type == type }
    }

    /// All mappings of a Swift type. The last one is used for writing, unless the value names another.
    func mappings(of swiftType: Any.Type) -> [TypeMapping] {
        bySwiftType[ObjectIdentifier(swiftType)] ?? []
    }
}
