import UploadTesting

/// A bucket for one test on the shared OpenStack Swift, with a proxy before it and an independent observer behind it.
struct S3Bucket: Sendable {
    let server: OpenStackSwiftServer
    let name: String
    let proxy: HTTPFaultProxy
    let observer: S3Observer

    static func make() async throws -> S3Bucket { try await make(on: .shared()) }

    /// A bucket on a server that the test may kill.
    static func make(on server: OpenStackSwiftServer) async throws -> S3Bucket {
        let bucket = S3Bucket(
            server: server, name: UniqueNames.make("bucket"), proxy: try HTTPFaultProxy(to: server.port),
            observer: try await S3Observer(server.endpoint))
        try await bucket.observer.createBucket(bucket.name)
        return bucket
    }

    /// The line that configures the destination in a deployment.
    /// - Parameter more: more keys, each with a comma before it.
    func destination(
        name: String = "bucket", bucket: String? = nil, id: String? = nil, secret: String? = nil,
        more: String = ""
    ) -> String {
        """
        \(name): {driver: s3, endpoint: '\(proxy.url)', region: \(server.region), bucket: '\(bucket ?? self.name)', \
        accessKeyId: '\(id ?? server.accessKey)', secretAccessKey: '\(secret ?? server.secretKey)'\(more)}
        """
    }
}
