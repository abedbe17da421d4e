import Foundation
import Testing
import UploadDestinations
import UploadTesting
import Uploads

@Suite(.serialized, .timeLimit(.minutes(10)))
struct S3SweepTests {
    @Test func `unfinished uploads are listed below the prefix and removed one by one`() async throws {
        try await S3Bench.with(OpenStackSwiftServer.shared().endpoint) { bench in
            var configuration = bench.configuration
            configuration.prefix = "mine/"
            let destination = try bench.destination(configuration)
            let job = try bench.conformance(configuration).job(
                DestinationConformance.bytes(S3Bench.partBytes * 2), key: "a b+c/é")
            let session = try await destination.open(job, resuming: nil)
            let state = try #require(session.state)
            let foreign = try await bench.observer.startUpload(bench.bucket, "theirs/x")
            _ = try await bench.observer.startUpload(bench.bucket, "mine/other")

            #expect(try await destination.unfinished(startedBefore: Date(timeIntervalSinceNow: -3600)).isEmpty)
            let found = try await destination.unfinished(startedBefore: Date(timeIntervalSinceNow: 60))
            #expect(Set(found.map(\.key)) == ["a b+c/é", "other"])
            let own = try #require(found.first { $0.key == "a b+c/é" })
            #expect(own.sessionID == destination.sessionID(of: state))
            #expect(own.job == nil)

            try await destination.discard(own)
            try await destination.discard(own)
            let error = await #expect(throws: UploadError.self) { try await destination.open(job, resuming: state) }
            #expect(error?.code == .sessionExpired)
            let left = try await bench.observer.listUploads(bench.bucket)
            #expect(left.contains { $0.uploadId == foreign })
            #expect(left.count == 2)
        }
    }

    @Test func `every page of uploads is listed`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            for number in 0..<7 { _ = try await bench.observer.startUpload(bench.bucket, "key \(number % 3)") }
            // The first page ends after three uploads: beginning a thousand would take too long.
            proxy.setRule { request in
                guard request.query["key-marker"] == nil else { return .forward }
                return .rewriteAnswer { answer in
                    let list = String(decoding: answer.body, as: UTF8.self)
                    let uploads = list.components(separatedBy: "</Upload>")
                    let first = uploads.prefix(3).joined(separator: "</Upload>") + "</Upload>"
                    // Its markers are those of the whole list; without them the last entry is the marker.
                    let page = first.replacing("<IsTruncated>false</IsTruncated>", with: "")
                        .replacing(/<Next(Key|UploadId)Marker>[^<]*<\/Next(Key|UploadId)Marker>/, with: "")
                    answer.body = Array(
                        "\(page)<IsTruncated>true</IsTruncated></ListMultipartUploadsResult>".utf8)
                }
            }
            let whole = try await bench.destination(
                bench.configuration(by: server.endpoint.through(port: proxy.port))
            ).unfinished(startedBefore: Date(timeIntervalSinceNow: 60))
            #expect(whole.count == 7)
            #expect(Set(whole.map(\.sessionID)).count == 7)
            #expect(proxy.requests.count == 2)
            proxy.stop()
        }
    }

    @Test func `the state of another driver names no session`() async throws {
        try await S3Bench.with(OpenStackSwiftServer.shared().endpoint) { bench in
            let destination = try bench.destination()
            #expect(destination.sessionID(of: UploadState(driver: "directory", payload: ["uploadId": "x"])) == nil)
            #expect(destination.sessionID(of: UploadState(driver: "s3", payload: ["file": "x"])) == nil)
        }
    }
}
