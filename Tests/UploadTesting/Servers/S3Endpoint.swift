/// The address and the access key of an S3 server.
public struct S3Endpoint: Sendable {
    public var url: String
    public var region: String
    public var accessKey: String
    public var secretKey: String

    public init(url: String, region: String, accessKey: String, secretKey: String) {
        self.url = url
        self.region = region
        self.accessKey = accessKey
        self.secretKey = secretKey
    }

    /// The same server and keys, through another port of loopback, such as a proxy's.
    public func through(port: Int) -> S3Endpoint {
        var copy = self
        copy.url = "http://127.0.0.1:\(port)"
        return copy
    }
}
