/// The state of an upload at Bridge. An unknown status of a newer server is kept by its name.
public struct BridgeUploadStatus: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let unknown = Self(rawValue: "unknown")
    /// Requested; not yet reported as complete.
    public static let requested = Self(rawValue: "requested")
    public static let validationInProgress = Self(rawValue: "validation_in_progress")
    public static let validationFailed = Self(rawValue: "validation_failed")
    /// The same participant sent the same file before.
    public static let duplicate = Self(rawValue: "duplicate")
    public static let succeeded = Self(rawValue: "succeeded")
}
