import Foundation
import Testing
import UploadDestinations
import UploadTesting
import Uploads

/// The answer to ListParts decides which parts are sent.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct S3ResumeTests {
    private let bytes = DestinationConformance.bytes(S3Bench.partBytes * 5 + 1)

    private func uploadID(_ session: any UploadSession) throws -> String {
        try #require(session.state?.payload["uploadId"]?.string)
    }

    @Test func `all pages of the list are read`() async throws {
        let server = try await OpenStackSwiftServer.start(listedPartsMaximum: 2)
        try await S3Bench.with(server.endpoint) { bench in
            let job = try bench.job(bytes, key: "pages")
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.conformance().send(5, of: job, to: session)
            let resumed = try await bench.destination().open(job, resuming: session.state)
            #expect(resumed.missing.map(\.number) == [6])
            try await bench.conformance().send(of: job, to: resumed)
            _ = try await resumed.complete(.none)
            #expect(try await bench.observer.get(bench.bucket, "pages") == bytes)
        }
    }

    @Test func `parts survive the server's restart`() async throws {
        let server = try await OpenStackSwiftServer.start()
        try await S3Bench.with(server.endpoint) { bench in
            let job = try bench.job(bytes, key: "restart")
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.conformance().send(3, of: job, to: session)
            try await server.kill()
            let error = await #expect(throws: UploadError.self) {
                try await bench.conformance().send(1, of: job, to: session)
            }
            #expect(error?.code == .networkFailure)
            try await server.restart()
            let resumed = try await bench.destination().open(job, resuming: session.state)
            #expect(resumed.missing.map(\.number) == [4, 5, 6])
            try await bench.conformance().send(of: job, to: resumed)
            _ = try await resumed.complete(.none)
            #expect(try await bench.observer.get(bench.bucket, "restart") == bytes)
        }
    }

    @Test func `a part of another size is sent again`() async throws {
        try await S3Bench.with(OpenStackSwiftServer.shared().endpoint) { bench in
            let job = try bench.job(bytes, key: "size")
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.conformance().send(2, of: job, to: session)
            try await bench.observer.uploadPart(
                bench.bucket, "size", uploadID(session), number: 2, Array(bytes.prefix(6 << 20)))
            let resumed = try await bench.destination().open(job, resuming: session.state)
            #expect(resumed.missing.map(\.number) == [2, 3, 4, 5, 6])
            try await bench.conformance().send(of: job, to: resumed)
            _ = try await resumed.complete(.none)
            #expect(try await bench.observer.get(bench.bucket, "size") == bytes)
        }
    }

    @Test func `a part of another checksum is sent again`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            let configuration = bench.configuration(by: server.endpoint.through(port: proxy.port))
            let job = try bench.job(bytes, key: "checksum")
            let session = try await bench.destination(configuration).open(job, resuming: nil)
            try await bench.conformance().send(3, of: job, to: session)
            // This server lists no checksums; AWS does.
            proxy.setRule { request in
                guard request.method == "GET", request.query["uploadId"] != nil else { return .forward }
                return .rewriteAnswer { answer in
                    let wrong = "<ChecksumCRC64NVME>AAAAAAAAAAA=</ChecksumCRC64NVME>"
                    let list = String(decoding: answer.body, as: UTF8.self)
                        .replacing("<PartNumber>2</PartNumber>", with: "<PartNumber>2</PartNumber>\(wrong)")
                    answer.body = Array(list.utf8)
                }
            }
            let resumed = try await bench.destination(configuration).open(job, resuming: session.state)
            guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else { return }
            try await resumed.verify(against: source)
            #expect(resumed.missing.map(\.number) == [2, 4, 5, 6])
            proxy.stop()
        }
    }

    @Test func `a session is listed once when it is gone on with, and not at all when it is new`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            let configuration = bench.configuration(by: server.endpoint.through(port: proxy.port))
            let destination = try bench.destination(configuration)
            let job = try bench.job(bytes, key: "counted")
            let state = try #require(try await destination.open(job, resuming: nil).state)
            proxy.forget()
            #expect(try await destination.probe(job, state: state.untouched) == .partial(state.untouched, beside: nil))
            let session = try await destination.open(job, resuming: state.untouched)
            #expect(session.missing.count == session.plan.count && proxy.requests.isEmpty)
            try await bench.conformance().send(2, of: job, to: session)
            proxy.forget()
            let held = try #require(session.state)
            #expect(try await destination.probe(job, state: held) == .partial(held, beside: nil))
            let resumed = try await destination.open(job, resuming: session.state)
            #expect(resumed.missing.map(\.number) == [3, 4, 5, 6])
            #expect(proxy.requests.map(\.method) == ["HEAD", "GET"])
            // There may be an object that the job is to keep.
            var kept = job
            kept.ifExists = .fail
            _ = try await destination.probe(kept, state: state.untouched)
            #expect(proxy.requests.last?.method == "HEAD")
            proxy.stop()
        }
    }

    @Test(arguments: [403, 405], [true, false])
    func `what may not be listed is begun anew, and it is said why`(status: Int, mayAbort: Bool) async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            let configuration = bench.configuration(by: server.endpoint.through(port: proxy.port))
            let destination = try bench.destination(configuration)
            proxy.setRule { request in
                guard request.query["uploadId"] != nil else { return .forward }
                guard request.method == "GET" || (request.method == "DELETE" && !mayAbort) else { return .forward }
                let code = status == 403 ? "AccessDenied" : "MethodNotAllowed"
                return .answer(status: status, body: "<Error><Code>\(code)</Code></Error>")
            }
            let job = try bench.job(bytes, key: "unlisted")
            let session = try await destination.open(job, resuming: nil)
            try await bench.conformance().send(2, of: job, to: session)
            let error = await #expect(throws: UploadError.self) {
                try await destination.open(job, resuming: session.state)
            }
            #expect(error?.code == .sessionExpired)
            #expect(error?.message.contains("s3:ListMultipartUploadParts") == true, "\(error as Any)")
            let left = try await bench.observer.listUploads(bench.bucket).count
            #expect(left == (mayAbort ? 0 : 1), "what may not be aborted is left")
            // An upload that was never interrupted needs no list.
            let whole = try await destination.open(job, resuming: nil)
            let state = try #require(whole.state)
            let next = try await destination.open(job, resuming: state.untouched)
            try await bench.conformance().send(of: job, to: next)
            _ = try await next.complete(.none)
            #expect(try await bench.observer.get(bench.bucket, "unlisted") == bytes)
            proxy.stop()
        }
    }

    @Test func `a list with entities of every form is read`() async throws {
        let server = try await RcloneS3Server.start(streamsParts: false)
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            let configuration = bench.configuration(by: server.endpoint.through(port: proxy.port))
            let job = try bench.job(bytes, key: "entities")
            let session = try await bench.destination(configuration).open(job, resuming: nil)
            try await bench.conformance().send(2, of: job, to: session)
            for quote in ["&#34;", "&quot;", "&#x22;", "\""] {
                proxy.setRule { request in
                    guard request.method == "GET" else { return .forward }
                    return .rewriteAnswer { answer in
                        let list = String(decoding: answer.body, as: UTF8.self).replacing("&#34;", with: quote)
                        answer.body = Array(list.utf8)
                    }
                }
                let resumed = try await bench.destination(configuration).open(job, resuming: session.state)
                #expect(resumed.missing.map(\.number) == [3, 4, 5, 6])
            }
            proxy.setRule { _ in .forward }
            let last = try await bench.destination(configuration).open(job, resuming: session.state)
            try await bench.conformance().send(of: job, to: last)
            _ = try await last.complete(.none)
            #expect(try await bench.observer.get(bench.bucket, "entities") == bytes)
            proxy.stop()
        }
    }

    @Test func `a server that forgets uploads makes the session expire`() async throws {
        let server = try await RcloneS3Server.start()
        try await S3Bench.with(server.endpoint) { bench in
            let job = try bench.job(bytes, key: "forgotten")
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.conformance().send(1, of: job, to: session)
            try await server.restart()
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().open(job, resuming: session.state)
            }
            #expect(error?.code == .sessionExpired)
            let part = await #expect(throws: UploadError.self) {
                try await bench.conformance().send(1, of: job, to: session)
            }
            #expect(part?.code == .sessionExpired, "\(part as Any)")
        }
    }

    /// A server that answers before it has read the body closes the connection, and its error may never arrive.
    @Test func `an upload that is gone without a reason is begun anew`() async throws {
        let server = try await RcloneS3Server.start()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            let destination = try bench.destination(bench.configuration(by: server.endpoint.through(port: proxy.port)))
            let job = try bench.job(bytes, key: "without-reason")
            let session = try await destination.open(job, resuming: nil)
            let isGone: HTTPFaultProxy.Rule = { _ in
                .rewriteAnswer { answer in
                    answer.status = 404
                    answer.body = []
                }
            }
            try await bench.conformance().send(1, of: job, to: session)
            proxy.setRule(isGone)
            let part = await #expect(throws: UploadError.self) {
                try await bench.conformance().send(1, of: job, to: session)
            }
            #expect(part?.code == .sessionExpired, "\(part as Any)")
            proxy.setRule { _ in .forward }
            try await bench.conformance().send(of: job, to: session)
            proxy.setRule(isGone)
            let whole = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(whole?.code == .sessionExpired, "\(whole as Any)")
            proxy.stop()
        }
    }

    /// OpenStack Swift completes an upload in two steps: first it makes the object, then it removes the record of the upload. Where it dies
    /// in between, or the client's connection is lost, the upload is still listed, and an abort removes the parts that the object is made of.
    @Test(arguments: [true, false])
    func `an upload that the object was made of is not aborted`(isSweep: Bool) async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            let destination = try bench.destination(
                bench.configuration(by: bench.endpoint.through(port: proxy.port)))
            let bytes = DestinationConformance.bytes(2 * S3Bench.partBytes + 5)
            let job = try bench.job(bytes, key: "whole")
            let session = try await destination.open(job, resuming: nil)
            try await bench.conformance().send(of: job, to: session)
            let state = try #require(session.state)
            let id = try #require(state.payload["uploadId"]?.string)
            let parts = try await bench.observer.listParts(bench.bucket, "whole", id)
            _ = try await session.complete(.none)
            await session.close()
            // What the server answers as long as it has the record.
            let listed = parts.map { part in
                "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(part.etag)</ETag><Size>\(part.size)</Size></Part>"
            }
            proxy.setRule { request in
                guard request.method == "GET", request.query["uploadId"] == id else { return .forward }
                return .answer(status: 200, body: "<ListPartsResult>\(listed.joined())</ListPartsResult>")
            }
            func discard() async throws {
                if isSweep {
                    try await destination.discard(
                        UnfinishedUpload(key: "whole", sessionID: id, startedAt: Date(timeIntervalSince1970: 0)))
                } else {
                    try await destination.discard(state, of: job)
                }
            }
            proxy.forget()
            try await discard()
            #expect(!proxy.requests.contains { $0.method == "DELETE" })
            #expect(try await bench.observer.get(bench.bucket, "whole") == bytes)

            // Another object under the key is none of its business.
            try await bench.observer.put(bench.bucket, "whole", Array("other".utf8), metadata: ["longshore-job": "x"])
            proxy.forget()
            try await discard()
            #expect(proxy.requests.contains { $0.method == "DELETE" })
            proxy.stop()
        }
    }
}
