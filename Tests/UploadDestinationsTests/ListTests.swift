import Foundation
import Synchronization
import Testing
import UploadDestinations
import UploadSources
import UploadTesting
import Uploads

/// Destinations that list their objects.
@Suite(.timeLimit(.minutes(10)))
struct ListTests {
    @Test(arguments: [true, false]) func `a directory is listed`(usesExtendedAttributes: Bool) async throws {
        let scratch = try TemporaryDirectory()
        let name = try DestinationName("archive")
        let configuration = DirectoryConfiguration(
            path: scratch.path, partBytes: 1000, usesExtendedAttributes: usesExtendedAttributes)
        let conformance = DestinationConformance(
            destination: { DirectoryDestination(configuration) }, sources: LocalSources(areas: [], roots: []),
            reference: { .named(name, key: $0) }, stored: { scratch.read($0) }, partBytes: 1000)
        let list = ListConformance(
            conformance: conformance,
            put: { key, bytes in
                let file = scratch.file(key)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(bytes).write(to: file)
            })
        try await list.allRules()
        // A link is no object, wherever it leads.
        try FileManager.default.createSymbolicLink(atPath: scratch.path("p/link"), withDestinationPath: "/etc")
        try await list.thePrefixIsABeginning()
    }

    @Test func `a bucket is listed`() async throws {
        try await S3Bench.with(OpenStackSwiftServer.shared().endpoint) { bench in
            var configuration = bench.configuration
            configuration.prefix = "below/here/"
            _ = try await bench.observer.put(bench.bucket, "beside", [1])
            let list = ListConformance(conformance: bench.conformance(configuration)) {
                _ = try await bench.observer.put(bench.bucket, "below/here/\($0)", $1)
            }
            try await list.allRules()
        }
    }

    /// 2,500 objects are three pages; rclone has them from the disk.
    @Test func `a bucket of several pages is listed to its end`() async throws {
        let server = try await RcloneS3Server.start()
        try await S3Bench.with(server.endpoint) { bench in
            for number in 0..<2500 {
                try Data("\(number)".utf8).write(
                    to: URL(filePath: server.path(bench.bucket, "file \(number)+")))
            }
            let objects = Mutex<[ListedObject]>([])
            try await bench.destination().list(below: "file") { page in objects.withLock { $0 += page } }
            let all = objects.withLock { $0 }
            #expect(Set(all.map(\.key)) == Set((0..<2500).map { "file \($0)+" }))
            #expect(all.count == 2500)
            let one = try #require(all.first { $0.key == "file 1234+" })
            #expect(one.size == 4 && one.md5 == "81dc9bdb52d04dc20036dbd8313ed055", "the MD5 of 1234")
            let hides = try bench.destination(
                {
                    var configuration = bench.configuration
                    configuration.etag = .opaque
                    return configuration
                }())
            try await hides.list(below: "file 12") { page throws(UploadError) in
                #expect(page.allSatisfy { $0.md5 == nil })
            }
        }
        try await server.stop()
    }

    @Test(arguments: [
        "<IsTruncated>true</IsTruncated>",
        "<IsTruncated>true</IsTruncated><NextContinuationToken>same</NextContinuationToken>",
    ]) func `a list that does not go on is an error`(end: String) async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            proxy.setRule { _ in
                .answer(
                    status: 200,
                    body: "<ListBucketResult>\(end)<Contents><Key>a</Key><Size>1</Size></Contents></ListBucketResult>")
            }
            let destination = try bench.destination(
                bench.configuration(by: server.endpoint.through(port: proxy.port)))
            let error = await #expect(throws: UploadError.self) { try await destination.list(below: "") { _ in } }
            #expect(error?.code == .invalidResponse)
            proxy.stop()
        }
    }

    @Test(arguments: [WebDAVServer.Kind.rclone, .wsgidav, .apache])
    func `folders of WebDAV are listed`(kind: WebDAVServer.Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            var list = ListConformance(conformance: bench.conformance()) { key, bytes in
                let path = "\(bench.folder)/\(key)"
                try bench.server.makeFolder(path.split(separator: "/").dropLast().joined(separator: "/"))
                try bench.server.put(bytes, at: path)
            }
            list.keepsMarks = kind != .rclone
            try await list.allRules()
            // A folder in one of its own name is not taken for it.
            try await list.put("same/same/same/file", [1])
            let keys = Mutex<[String]>([])
            try await bench.destination().list(below: "same/") { page in keys.withLock { $0 += page.map(\.key) } }
            #expect(keys.withLock { $0 } == ["same/same/same/file"])
        }
    }

    @Test func `a server without PROPFIND cannot be listed, and says so`() async throws {
        try await WebDAVBench.with(.nginx) { bench in
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().list(below: "") { _ in }
            }
            #expect(error?.message.contains("PROPFIND") == true)
        }
    }
}
