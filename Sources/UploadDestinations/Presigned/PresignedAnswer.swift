/// Where in the endpoint's JSON answer things stand: names separated by dots, numbers for places in arrays.
public struct PresignedAnswer: Hashable, Sendable {
    /// Of the URL that the bytes are put to.
    public var url: String
    /// Of what later calls name the upload by. It travels in messages: not a secret.
    public var id: String
    /// Of the time until which the URL is good: RFC 3339, or seconds (from now, or since 1970).
    public var expires: String
    /// Of an object with headers to send with the bytes.
    public var headers: String

    public init(url: String = "url", id: String = "id", expires: String = "expires", headers: String = "headers") {
        self.url = url
        self.id = id
        self.expires = expires
        self.headers = headers
    }
}
