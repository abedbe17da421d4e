/// How far a finished object was read back and compared: all that another worker needs to go on.
public struct ReadBack: Codable, Hashable, Sendable {
    /// The object that is read, as the completing call or a probe described it.
    public var object: StoredObject
    /// Bytes from the object's beginning that match the source: whole blocks of ``PartPlan/blockBytes``, or all.
    public var bytes: Int64
    /// The CRC-64/NVME of these bytes, 16 hexadecimal digits.
    public var checksum: String
    /// Whether the object differs from the source: the job replaces it, and never takes it for a success.
    public var isBroken: Bool

    /// Begins at the object's first byte.
    public init(of object: StoredObject, isBroken: Bool = false) {
        self.object = object
        bytes = 0
        checksum = CRC64NVME().hexadecimal
        self.isBroken = isBroken
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        object = try container.decode(StoredObject.self, forKey: .object)
        bytes = try container.decode(0...WireLimits.sizeMaximum, forKey: .bytes)
        checksum = try container.decodeText(atMost: 16, forKey: .checksum)
        isBroken = try container.decode(Bool.self, forKey: .isBroken)
    }

    /// Whether this is about the same object, as far as both descriptions know. An object that was written again is
    /// another one.
    public func isAbout(_ other: StoredObject) -> Bool {
        func agree<Value: Equatable>(_ left: Value?, _ right: Value?) -> Bool {
            guard let left, let right else { return true }
            return left == right
        }
        // Weak comparison (RFC 9110, section 8.8.3.2): Apache calls a tag weak while the object is younger than a second.
        return agree(object.etag?.trimmingPrefix("W/"), other.etag?.trimmingPrefix("W/"))
            && agree(object.version, other.version) && agree(object.size, other.size)
    }
}
