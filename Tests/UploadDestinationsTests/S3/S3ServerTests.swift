import Testing
import UploadTesting

/// The basis of the other S3 tests: that the servers run, and how strict they are.
@Suite(.timeLimit(.minutes(10)))
struct S3ServerTests {
    private static let text = Array("123456789".utf8)

    private static func bytes(_ count: Int, seed: UInt8) -> [UInt8] { [UInt8](repeating: seed, count: count) }

    private func roundTrip(_ endpoint: S3Endpoint, through proxy: HTTPFaultProxy) async throws {
        let direct = try await S3Observer(endpoint)
        let observer = try await S3Observer(endpoint.through(port: proxy.port))
        let bucket = UniqueNames.make("bucket")
        try await direct.createBucket(bucket)
        let key = "a b/ü+%41.txt"
        let etag = try await observer.put(bucket, key, Self.text, metadata: ["job": "1"])
        #expect(try await direct.get(bucket, key) == Self.text)
        let head = try #require(try await observer.head(bucket, key))
        #expect(head.size == 9)
        #expect(head.etag == etag)
        #expect(head.metadata == ["job": "1"])
        let digest = try await direct.sha256(bucket, key)
        #expect(digest.hasPrefix("15e2b0d3c33891ebb0f1ef609ec41942"))
        #expect(try await direct.listKeys(bucket) == [key])

        let upload = try await observer.startUpload(bucket, "parts.bin")
        #expect(try await direct.listUploads(bucket).map(\.uploadId) == [upload])
        var parts: [S3Observer.Part] = []
        for number in 1...3 {
            let bytes = Self.bytes(number < 3 ? 5 << 20 : 7, seed: UInt8(number))
            let etag = try await observer.uploadPart(bucket, "parts.bin", upload, number: number, bytes)
            parts.append(S3Observer.Part(number: number, size: bytes.count, etag: etag))
        }
        #expect(try await direct.listParts(bucket, "parts.bin", upload) == parts)
        try await observer.complete(bucket, "parts.bin", upload, parts)
        let whole = Self.bytes(5 << 20, seed: 1) + Self.bytes(5 << 20, seed: 2) + Self.bytes(7, seed: 3)
        #expect(try await direct.get(bucket, "parts.bin") == whole)
        #expect(proxy.partsSent == [1: 1, 2: 1, 3: 1])
        #expect(proxy.requests.allSatisfy { $0.status == 200 && $0.serverStatus == 200 })

        try await observer.delete(bucket, key)
        #expect(try await direct.get(bucket, key) == nil)
        #expect(try await direct.head(bucket, key) == nil)
    }

    @Test func `OpenStack Swift takes objects and parts, directly and through the proxy`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await roundTrip(server.endpoint, through: HTTPFaultProxy(to: server.port))
    }

    @Test func `rclone takes objects and parts, directly and through the proxy`() async throws {
        let server = try await RcloneS3Server.start()
        try await roundTrip(server.endpoint, through: HTTPFaultProxy(to: server.port))
    }

    @Test func `rclone that keeps parts in memory takes a part twice`() async throws {
        let bucket = UniqueNames.make("bucket")
        let server = try await RcloneS3Server.start(buckets: [bucket], streamsParts: false)
        let observer = try await S3Observer(server.endpoint)
        let upload = try await observer.startUpload(bucket, "twice.bin")
        try await observer.uploadPart(bucket, "twice.bin", upload, number: 1, Self.bytes(9, seed: 1))
        let etag = try await observer.uploadPart(bucket, "twice.bin", upload, number: 1, Self.text)
        try await observer.complete(
            bucket, "twice.bin", upload, [S3Observer.Part(number: 1, size: 9, etag: etag)])
        try await eventually("the file is there") { server.stored(bucket, "twice.bin") == Self.text }
    }

    @Test func `moto takes objects and parts, directly and through the proxy`() async throws {
        let server = try await MotoServer.start()
        try await roundTrip(server.endpoint, through: HTTPFaultProxy(to: server.port))
    }

    @Test func `OpenStack Swift keeps the parts of an open upload over a power cut`() async throws {
        let server = try await OpenStackSwiftServer.start()
        let observer = try await S3Observer(server.endpoint)
        let second = try await S3Observer(server.secondEndpoint)
        try await observer.createBucket("kept")
        let upload = try await observer.startUpload("kept", "parts.bin")
        let first = Self.bytes(5 << 20, seed: 1)
        var etags = [try await observer.uploadPart("kept", "parts.bin", upload, number: 1, first)]
        try await server.kill()
        await #expect(throws: S3Observer.Failure.self) {
            try await observer.listParts("kept", "parts.bin", upload)
        }
        try await server.restart()
        #expect(
            try await second.listParts("kept", "parts.bin", upload) == [
                S3Observer.Part(number: 1, size: first.count, etag: etags[0])
            ])
        etags.append(try await second.uploadPart("kept", "parts.bin", upload, number: 2, Self.text))
        let parts = etags.enumerated().map { S3Observer.Part(number: $0 + 1, size: 0, etag: $1) }
        try await second.complete("kept", "parts.bin", upload, parts)
        #expect(try await observer.get("kept", "parts.bin") == first + Self.text)
        try await server.stop()
    }

    @Test func `a wrong secret is refused`() async throws {
        let swift = try await OpenStackSwiftServer.shared()
        let rclone = try await RcloneS3Server.start(buckets: ["bucket"])
        for var endpoint in [swift.endpoint, rclone.endpoint] {
            endpoint.secretKey += "x"
            let observer = try await S3Observer(endpoint)
            let failure = try await #require(throws: S3Observer.Failure.self) {
                try await observer.put("bucket", "refused", [1])
            }
            #expect(failure.status == 403)
            #expect(failure.code == "SignatureDoesNotMatch")
        }
        #expect(rclone.stored("bucket", "refused") == nil)
    }

    @Test func `OpenStack Swift refuses a wrong region`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        let proxy = try HTTPFaultProxy(to: server.port)
        var endpoint = server.endpoint.through(port: proxy.port)
        endpoint.region = "eu-central-1"
        // The observer learns the right region from the refusal.
        try await S3Observer(endpoint).createBucket(UniqueNames.make("bucket"))
        #expect(proxy.requests.map(\.status) == [400, 200])
    }

    @Test(arguments: [
        ("CRC32", "y/Q5Jg=="), ("CRC32C", "4waSgw=="), ("CRC64NVME", "rosUhgp5mIg="),
        ("SHA1", "98O8HYCOBHMq32eZZczDTKeuNEE="), ("SHA256", "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="),
    ])
    func `OpenStack Swift verifies each checksum`(algorithm: String, sum: String) async throws {
        let server = try await OpenStackSwiftServer.shared()
        let observer = try await S3Observer(server.endpoint)
        let bucket = UniqueNames.make("bucket")
        try await observer.createBucket(bucket)
        try await observer.put(bucket, "right", Self.text, options: ["Checksum\(algorithm)": sum])
        let failure = try await #require(throws: S3Observer.Failure.self) {
            try await observer.put(bucket, "wrong", Self.text + [0], options: ["Checksum\(algorithm)": sum])
        }
        #expect(failure.status == 400)
        #expect(failure.code == "BadDigest")
        #expect(try await observer.listKeys(bucket) == ["right"])
    }

    @Test func `OpenStack Swift refuses a part that is too small, and one beyond the last`() async throws {
        let server = try await OpenStackSwiftServer.start(partsMaximum: 3, partBytesMinimum: 100)
        let observer = try await S3Observer(server.endpoint)
        try await observer.createBucket("limits")
        let upload = try await observer.startUpload("limits", "key")
        var parts: [S3Observer.Part] = []
        for number in 1...2 {
            let bytes = Self.bytes(99, seed: UInt8(number))
            let etag = try await observer.uploadPart("limits", "key", upload, number: number, bytes)
            parts.append(S3Observer.Part(number: number, size: 99, etag: etag))
        }
        let small = try await #require(throws: S3Observer.Failure.self) {
            try await observer.complete("limits", "key", upload, parts)
        }
        #expect(small.code == "EntityTooSmall")
        let beyond = try await #require(throws: S3Observer.Failure.self) {
            try await observer.uploadPart("limits", "key", upload, number: 4, [1])
        }
        #expect(beyond.code == "InvalidArgument")
        try await observer.abort("limits", "key", upload)
        #expect(try await observer.listUploads("limits").isEmpty)
    }

    @Test func `a missing bucket is told from a missing key`() async throws {
        let observer = try await S3Observer(OpenStackSwiftServer.shared().endpoint)
        let failure = try await #require(throws: S3Observer.Failure.self) {
            try await observer.put(UniqueNames.make("nothing"), "key", [1])
        }
        #expect(failure.code == "NoSuchBucket")
    }
}
