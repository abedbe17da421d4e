import Foundation
import NIOHTTP1
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Settings and metadata that are passed on to the object.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct S3HeaderTests {
    private func headers(_ settings: S3ObjectSettings, _ change: (inout UploadJob) -> Void = { _ in }) throws
        -> HTTPHeaders
    {
        var job = UploadJob(
            source: .inline(Data([1])), destination: .named(DestinationName(unchecked: "b"), key: "k"),
            contentType: "image/jpeg", size: 1)
        change(&job)
        let target = try S3Target(job, S3Configuration(bucket: "b"))
        let headers = try S3ObjectHeaders(settings: settings).ofCreation(
            target, now: Date(timeIntervalSince1970: 1_700_000_000))
        return HTTPHeaders(headers.map { ($0.name, $0.value) })
    }

    @Test func `every setting has its header`() throws {
        var settings = S3ObjectSettings()
        settings.properties.cacheControl = "max-age=60"
        settings.properties.contentDisposition = "attachment"
        settings.properties.contentEncoding = "gzip"
        settings.properties.contentLanguage = "de"
        settings.properties.storageClass = "STANDARD_IA"
        settings.acl = "bucket-owner-full-control"
        settings.properties.tags = ["team": "blue & green", "a": "b=c"]
        settings.lockMode = .governance
        settings.lockSeconds = 86_400
        settings.isUnderLegalHold = true
        settings.isRequesterPays = true
        settings.encryption = .kms(keyID: "key-1", isDual: false, usesBucketKey: true)
        settings.metadata = ["Owner": "jo", "team": "blue"]
        let headers = try headers(settings) {
            $0.metadata = ["owner": "ann", "note": "Grüße"]
            $0.properties.contentLanguage = "fr"
            $0.properties.tags = ["a": "c"]
        }
        let expected = [
            "content-type": "image/jpeg", "cache-control": "max-age=60", "content-disposition": "attachment",
            "content-encoding": "gzip", "content-language": "fr", "x-amz-storage-class": "STANDARD_IA",
            "x-amz-acl": "bucket-owner-full-control", "x-amz-tagging": "a=c&team=blue%20%26%20green",
            "x-amz-object-lock-mode": "GOVERNANCE", "x-amz-object-lock-retain-until-date": "2023-11-15T22:13:20Z",
            "x-amz-object-lock-legal-hold": "ON", "x-amz-request-payer": "requester",
            "x-amz-server-side-encryption": "aws:kms", "x-amz-server-side-encryption-aws-kms-key-id": "key-1",
            "x-amz-server-side-encryption-bucket-key-enabled": "true", "x-amz-meta-team": "blue",
            "x-amz-meta-note": "=?UTF-8?B?R3LDvMOfZQ==?=",
        ]
        for (name, value) in expected { #expect(headers.first(name: name) == value, "\(name)") }
        #expect(headers["x-amz-meta-owner"] == ["ann"], "the job's own value goes before the destination's")
    }

    @Test func `a customer's key goes with every request and with its digest`() throws {
        var settings = S3ObjectSettings()
        settings.encryption = .customer(key: Data("0123456789abcdef0123456789abcdef".utf8))
        let headers = S3ObjectHeaders(settings: settings).ofObjectRequests
        #expect(headers.map(\.name).allSatisfy { $0.hasPrefix("x-amz-server-side-encryption-customer-") })
        #expect(headers.last?.value == "hRasmdxgYDKV3nvbahU1MA==")
        settings.encryption = .managed
        #expect(try self.headers(settings).first(name: "x-amz-server-side-encryption") == "AES256")
        settings.encryption = .kms(keyID: nil, isDual: true, usesBucketKey: false)
        #expect(try self.headers(settings).first(name: "x-amz-server-side-encryption") == "aws:kms:dsse")
    }

    @Test func `metadata beyond S3's limit and names that are no header are refused`() throws {
        for metadata in [["a": String(repeating: "x", count: 2048)], ["a b": "c"], ["": "c"], ["ä": "c"]] {
            let error = #expect(throws: UploadError.self) { try headers(S3ObjectSettings()) { $0.metadata = metadata } }
            #expect(error?.code == .rejected)
        }
    }

    @Test func `a job cannot pass for another by its metadata`() throws {
        let headers = try headers(S3ObjectSettings()) { $0.metadata = ["Longshore-Job": "someone else"] }
        #expect(headers["x-amz-meta-longshore-job"].count == 1)
        #expect(headers.first(name: "x-amz-meta-longshore-job") != "someone else")
    }

    @Test(arguments: [1, S3Bench.partBytes * 2])
    func `the server keeps what it is told`(size: Int) async throws {
        try await S3Bench.with(OpenStackSwiftServer.shared().endpoint) { bench in
            var configuration = bench.configuration
            configuration.object.properties.cacheControl = "no-cache"
            configuration.object.properties.contentDisposition = "attachment; filename=\"a.txt\""
            configuration.object.properties.contentLanguage = "de"
            configuration.object.metadata = ["team": "blue"]
            let conformance = bench.conformance(configuration)
            var job = try conformance.job(DestinationConformance.bytes(size), key: "kept")
            job.metadata = ["owner": "jo"]
            job.contentType = "text/x-special"
            try await conformance.carry(job)
            let head = try #require(try await bench.observer.head(bench.bucket, "kept"))
            #expect(head.contentType == "text/x-special")
            #expect(head.metadata["owner"] == "jo")
            #expect(head.metadata["team"] == "blue")
            #expect(head.metadata["longshore-job"] == job.id.rawValue)
            #expect(head.headers["cache-control"] == "no-cache")
            #expect(head.headers["content-disposition"] == "attachment; filename=\"a.txt\"")
        }
    }
}
