/// Digests of a whole file, as lower-case hexadecimal.
public struct Digests: Codable, Hashable, Sendable {
    /// SHA-256, 64 digits.
    public var sha256: String?
    /// CRC-64/NVME, 16 digits, most significant first.
    public var crc64nvme: String?

    public init(sha256: String? = nil, crc64nvme: String? = nil) {
        self.sha256 = sha256
        self.crc64nvme = crc64nvme
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            sha256: try container.decodeTextIfPresent(atMost: 64, forKey: .sha256),
            crc64nvme: try container.decodeTextIfPresent(atMost: 16, forKey: .crc64nvme))
    }

    /// Whether both know a common digest and disagree on it.
    public func contradicts(_ other: Digests) -> Bool {
        if let left = sha256, let right = other.sha256, left != right { return true }
        if let left = crc64nvme, let right = other.crc64nvme, left != right { return true }
        return false
    }

    /// Whether both know a common digest and agree on all that they share.
    public func confirms(_ other: Digests) -> Bool {
        let shared = (sha256 != nil && other.sha256 != nil) || (crc64nvme != nil && other.crc64nvme != nil)
        return shared && !contradicts(other)
    }
}
