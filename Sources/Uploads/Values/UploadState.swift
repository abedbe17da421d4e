/// All that is needed to go on with an upload anywhere: the driver's name and a payload that only the driver reads.
public struct UploadState: Codable, Hashable, Sendable {
    /// Most bytes of the encoded state: 16 KiB.
    public static let encodedBytesMaximum = 16_384

    /// The driver that wrote the payload: `directory`, `http`, `s3` …
    public var driver: String
    public var payload: JSONValue
    /// How far a finished object was read back.
    public var readBack: ReadBack?

    public init(driver: String, payload: JSONValue, readBack: ReadBack? = nil) {
        self.driver = driver
        self.payload = payload
        self.readBack = readBack
    }
}

extension UploadState {
    /// The open session alone; nil where there is none, because the object was made already.
    var session: UploadState? { payload == [:] ? nil : UploadState(driver: driver, payload: payload) }
}
