/// The paths of the values in the endpoint's JSON answer: names separated by dots, numbers for places in arrays.
public struct PresignedAnswer: Hashable, Sendable {
    /// Path of the URL to which the bytes are put.
    public var url: String
    /// Path of the id by which later calls name the upload. The id travels in messages, so it is not a secret.
    public var id: String
    /// Path of the time until which the URL is valid: RFC 3339, or seconds (from now, or since 1970).
    public var expires: String
    /// Path of an object with headers to send with the bytes.
    public var headers: String

    public init(url: String = "url", id: String = "id", expires: String = "expires", headers: String = "headers") {
        self.url = url
        self.id = id
        self.expires = expires
        self.headers = headers
    }
}
