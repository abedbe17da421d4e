import Foundation
import Testing
import UploadDestinations
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct S3SettingsTests {
    private let files: Files

    init() throws { files = try Files() }

    private func settings(_ lines: String, environment: [String: String] = [:]) throws -> S3Settings {
        let yaml = "destinations:\n  a:\n    driver: s3\n" + lines.split(separator: "\n").map { "    \($0)\n" }.joined()
        let configuration = try UploadConfiguration(try files.input(yaml, environment: environment))
        let driver = configuration.destinations?[DestinationName(unchecked: "a")]?.driver
        return try #require(driver as? S3Settings)
    }

    private func problem(_ lines: String) -> String? {
        do {
            _ = try settings(lines)
            return nil
        } catch let error as ProgramError {
            return error.problems.first
        } catch {
            return "\(error)"
        }
    }

    @Test func `a bucket is all that AWS needs`() throws {
        let s3 = try settings("bucket: photos")
        #expect(s3.configuration == S3Configuration(bucket: "photos"))
        #expect(s3.accessKeyID == nil)
    }

    @Test func `every key has its effect`() throws {
        let s3 = try settings(
            """
            endpoint: https://s3.example:9000
            region: eu-central-1
            bucket: photos
            prefix: incoming/
            addressing: virtual
            accessKeyId: env:ID
            secretAccessKey: file:/run/secret
            sessionToken: literal
            checksum: crc32c
            signPayload: true
            partSize: 64MiB
            partCount: 1000
            multipartThreshold: 0
            proxy: http://proxy.example:3128
            caFile: /etc/ca.pem
            cacheControl: no-cache
            storageClass: STANDARD_IA
            acl: private
            metadata: {team: blue}
            tags: {a: b}
            encryption: kms
            kmsKeyId: key-1
            bucketKey: true
            objectLock: governance
            objectLockFor: 7d
            legalHold: true
            requesterPays: true
            """)
        let bucket = s3.configuration
        #expect(bucket.endpoint == "https://s3.example:9000")
        #expect(bucket.addressing == .virtual)
        #expect(bucket.checksum == .crc32c)
        #expect(bucket.signsPayload)
        #expect(bucket.partBytes == 64 << 20)
        #expect(bucket.partCountMaximum == 1000)
        #expect(bucket.multipartThresholdBytes == 0)
        #expect(bucket.tls.authorities == "/etc/ca.pem")
        #expect(bucket.object.properties.cacheControl == "no-cache")
        #expect(bucket.object.properties.tags == ["a": "b"])
        #expect(bucket.object.encryption == .kms(keyID: "key-1", isDual: false, usesBucketKey: true))
        #expect(bucket.object.lockSeconds == 604_800.0)
        #expect(bucket.object.isUnderLegalHold && bucket.object.isRequesterPays)
        #expect(s3.route.proxy == "http://proxy.example:3128")
        #expect(s3.accessKeyID == .environment(variable: "ID"))
        #expect(s3.secretAccessKey == .file(path: "/run/secret"))
    }

    @Test(arguments: [
        ("region: x", "destinations.a: 'bucket' is missing"),
        ("bucket: b\naccessKeyId: x", "accessKeyId and secretAccessKey belong together"),
        ("bucket: b\nsessionToken: x", "goes with accessKeyId and secretAccessKey"),
        ("bucket: b\nprofile: p\naccessKeyId: x\nsecretAccessKey: y", "stands beside accessKeyId"),
        ("bucket: b\npartSize: 9MiB", "expected a multiple of 8MiB"),
        ("bucket: b\npartSize: 1MiB", "expected a size from 8.00 MiB to 5.00 GiB"),
        ("bucket: b\nobjectLock: governance", "objectLock and objectLockFor belong together"),
        ("bucket: b\nkmsKeyId: k", "goes with encryption 'kms'"),
        ("bucket: b\nencryption: customer", "encryption 'customer' and customerKey belong together"),
        ("bucket: b\nchecksum: md5", "expected crc64nvme, crc32c, sha256 or none"),
        ("bucket: b\npath: /x", "is no key of driver 's3' (but of 'directory')"),
    ])
    func `what contradicts itself says so, with its place`(lines: String, expected: String) throws {
        let found = try #require(problem(lines))
        #expect(found.contains(expected), "\(found)")
        #expect(found.hasPrefix("upload.yaml:"), "\(found)")
    }

    @Test func `keys in files are read again, and a customer's key must be one`() async throws {
        let id = try files.write("id", "AKID\n")
        let secret = try files.write("secret", "very secret\n")
        let yaml =
            "destinations: {a: {driver: s3, bucket: b, accessKeyId: 'file:\(id)', secretAccessKey: 'file:\(secret)'}}"
        let registry = try DestinationRegistry(try UploadConfiguration(try files.input(yaml)))
        #expect(try registry.destination(for: .named(DestinationName(unchecked: "a"), key: "k"))?.driver == "s3")
        try await registry.shutdown()
        for (wrong, expected) in [
            ("accessKeyId: env:NOT_SET_ANYWHERE, secretAccessKey: x", "NOT_SET_ANYWHERE is not set"),
            ("encryption: customer, customerKey: dG9vIHNob3J0", "expected 32 bytes in base64"),
            ("endpoint: 'http://'", "expected a URL that begins with"),
        ] {
            let error = #expect(throws: ProgramError.self) {
                try DestinationRegistry(
                    try UploadConfiguration(try files.input("destinations: {a: {driver: s3, bucket: b, \(wrong)}}")))
            }
            #expect(error?.description.contains(expected) == true, "\(error as Any)")
        }
    }
}
