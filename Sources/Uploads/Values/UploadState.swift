/// All that is needed to go on with an upload anywhere: the driver's name and a payload that only the driver reads.
public struct UploadState: Codable, Hashable, Sendable {
    /// Most bytes of the encoded state: 16 KiB.
    public static let encodedBytesMaximum = 16_384

    /// The driver that wrote the payload: `directory`, `http`, `s3` …
    public var driver: String
    public var payload: JSONValue

    public init(driver: String, payload: JSONValue) {
        self.driver = driver
        self.payload = payload
    }
}
