import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// The measurements of servers and credentials, and the advice that follows.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct S3SurveyTests {
    private typealias Conditioned = S3Measurements.Conditioned

    private func survey(
        _ rule: @escaping HTTPFaultProxy.Rule, of other: S3Endpoint? = nil,
        _ body: (S3Bench, HTTPFaultProxy, _ findings: [String: SurveyFinding], [SurveyAdvice]) async throws -> Void
    ) async throws {
        let swift = try await OpenStackSwiftServer.shared().endpoint
        let endpoint = other ?? swift
        try await S3Bench.with(endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: try #require(URLComponents(string: endpoint.url)?.port))
            proxy.setRule(rule)
            var configuration = bench.configuration(by: endpoint.through(port: proxy.port))
            configuration.prefix = "in/"
            let found = Mutex<[SurveyFinding]>([])
            let advice = try await bench.destination(configuration).survey(
                DestinationName(unchecked: "bucket"), below: "trial/"
            ) { finding in
                found.withLock { $0.append(finding) }
            }
            let findings = found.withLock { $0 }
            try await body(bench, proxy, Dictionary(findings.map { ($0.ability, $0) }) { $1 }, advice)
            #expect(try await bench.observer.listKeys(bench.bucket).isEmpty, "nothing is left")
            #expect(try await bench.observer.listUploads(bench.bucket).isEmpty)
            proxy.stop()
        }
    }

    /// OpenStack Swift obeys `If-None-Match` of PutObject, says that it has no `If-Match`, and compares checksums but reports none.
    @Test func `a server is measured with objects below the prefix, and nothing stays`() async throws {
        try await survey({ _ in .forward }) { _, proxy, findings, advice in
            for ability in [
                "write an object", "look at an object", "read an object", "list objects", "copy an object",
                "write in parts", "list parts", "list unfinished uploads", "complete parts",
                "ETags are MD5", "abort an upload", "remove objects",
            ] {
                #expect(findings[ability]?.answer == .yes, "\(findings[ability] as Any)")
            }
            #expect(findings["compare checksums"]?.answer == .yes, "\(findings["compare checksums"] as Any)")
            #expect(findings["tell checksums"]?.answer == .no)
            let conditions = try #require(findings["conditions of PutObject"])
            #expect(conditions.answer == .no && conditions.detail.contains("does not have If-Match"), "\(conditions)")
            #expect(advice.first?.setting == nil && advice.first?.reason.hasPrefix("leave conditions out") == true)
            #expect(advice.contains { $0.setting == "etag: md5" })
            let written = proxy.requests.filter { $0.method == "PUT" }.map(\.request.path)
            #expect(!written.isEmpty && written.allSatisfy { $0.contains("/in/trial/") }, "\(written)")
        }
    }

    /// Ceph RGW 18, scripted before moto, which checks no signatures: it answers 412 to every quoted `If-Match`, and completes in spite
    /// of `If-None-Match`.
    @Test func `a server that obeys conditions in part is told apart`() async throws {
        let rgw: HTTPFaultProxy.Rule = { request in
            if request.header("if-match")?.contains("\"") == true {
                return .answer(status: 412, body: "<Error><Code>PreconditionFailed</Code></Error>")
            }
            guard request.method == "POST", request.query["uploadId"] != nil else { return .forward }
            return .rewriteRequest { headers in headers.removeAll { $0.name.lowercased() == "if-none-match" } }
        }
        let moto = try await MotoServer.start()
        try await survey(rgw, of: moto.endpoint) { _, _, findings, advice in
            let put = try #require(findings["conditions of PutObject"])
            #expect(put.answer == .no && put.detail.contains("refuses If-Match with the right ETag"), "\(put)")
            let parts = try #require(findings["conditions in parts"])
            #expect(parts.answer == .no && parts.detail.contains("in spite of If-None-Match"), "\(parts)")
            #expect(advice.first?.setting == nil && advice.first?.reason.hasPrefix("leave conditions out") == true)
        }
        try await moto.stop()
    }

    @Test(arguments: [
        ("ListParts", "list parts", "s3:ListMultipartUploadParts"),
        ("ListMultipartUploads", "list unfinished uploads", "s3:ListBucketMultipartUploads"),
        ("GetObject", "read an object", "s3:GetObject"), ("List", "list objects", "s3:ListBucket"),
        ("Create", "write in parts", "s3:PutObject"),
    ])
    func `a right that is missing is named, and the rest is tried`(
        request: String, ability: String, right: String
    ) async throws {
        let rule: HTTPFaultProxy.Rule = { asked in
            let isObject = !asked.path.hasSuffix("/") && asked.path.split(separator: "/").count > 1
            let isMeant =
                switch request {
                case "ListParts": asked.method == "GET" && asked.query["uploadId"] != nil
                case "ListMultipartUploads": asked.method == "GET" && asked.query["uploads"] != nil
                case "List": asked.query["list-type"] != nil
                case "Create": asked.method == "POST" && asked.query["uploads"] != nil
                default: asked.method == "GET" && asked.query["uploadId"] == nil && isObject
                }
            return isMeant ? .answer(status: 403, body: "<Error><Code>AccessDenied</Code></Error>") : .forward
        }
        try await survey(rule) { _, _, findings, _ in
            let finding = try #require(findings[ability])
            #expect(finding.answer == .no && finding.missingRight == right, "\(finding)")
            #expect(finding.isNeeded == (request == "Create"))
            #expect(findings["remove objects"]?.answer == .yes)
            #expect(findings.values.filter { $0.missingRight == right }.count >= 1)
        }
    }

    @Test func `what is removed by word alone is seen to be there`() async throws {
        let isLying = Atomic(true)
        try await survey({ request in
            guard request.method == "DELETE", request.query["uploadId"] == nil, isLying.load(ordering: .relaxed) else {
                return .forward
            }
            return .answer(status: 204)
        }) { bench, _, findings, _ in
            let finding = try #require(findings["remove objects"])
            #expect(finding.answer == .no && finding.detail.contains("still there"), "\(finding)")
            isLying.store(false, ordering: .relaxed)
            for key in try await bench.observer.listKeys(bench.bucket) {
                try await bench.observer.delete(bench.bucket, key)
            }
        }
    }

    @Test func `what fails once is removed in the end, and one that stays keeps no other from being removed`()
        async throws
    {
        let asked = Mutex<[String: Int]>([:])
        try await survey({ request in
            guard request.method == "DELETE", request.query["uploadId"] == nil else { return .forward }
            let count = asked.withLock { asked in
                asked[request.path, default: 0] += 1
                return asked[request.path] ?? 0
            }
            if request.path.hasSuffix("/copy") {
                return .answer(status: 403, body: "<Error><Code>AccessDenied</Code></Error>")
            }
            return count == 1 ? .answer(status: 503, body: "<Error><Code>SlowDown</Code></Error>") : .forward
        }) { bench, _, findings, _ in
            let finding = try #require(findings["remove objects"])
            #expect(finding.answer == .no && finding.isNeeded, "\(finding)")
            #expect(
                finding.missingRight == "s3:DeleteObject"
                    && finding.detail.contains(": 1 of the written objects and uploads;"))
            #expect(try await bench.observer.listKeys(bench.bucket) == ["in/trial/copy"])
            try await bench.observer.delete(bench.bucket, "in/trial/copy")
        }
    }

    @Test func `an upload that is aborted by word alone is seen to be there`() async throws {
        try await survey({ request in
            request.method == "DELETE" && request.query["uploadId"] != nil ? .answer(status: 204) : .forward
        }) { bench, _, findings, _ in
            let finding = try #require(findings["abort an upload"])
            #expect(finding.answer == .no && finding.detail.contains("still there"), "\(finding)")
            #expect(findings["remove objects"]?.answer == .no)
            for upload in try await bench.observer.listUploads(bench.bucket) {
                try await bench.observer.abort(bench.bucket, upload.key, upload.uploadId)
            }
        }
    }

    /// Amazon's S3 with versions: removing a key that does not exist leaves a marker, and one answer was lost.
    @Test func `markers and versions that were not told are removed, too`() async throws {
        let removed = Mutex<[String]>([])
        try await survey({ request in
            let isAborted = request.path.hasSuffix("/aborted")
            if request.method == "HEAD", isAborted {
                let isGone = removed.withLock { $0.contains("untold") }
                return isGone
                    ? .answer(status: 404) : .answer(status: 200, headers: [("x-amz-version-id", "untold")])
            }
            guard request.method == "DELETE", request.query["uploadId"] == nil, isAborted else { return .forward }
            removed.withLock { $0.append(request.query["versionId"] ?? "") }
            return request.query["versionId"] == nil
                ? .answer(
                    status: 204, headers: [("x-amz-delete-marker", "true"), ("x-amz-version-id", "marker")])
                : .answer(status: 204)
        }) { _, _, findings, _ in
            #expect(findings["remove objects"]?.answer == .yes, "\(findings["remove objects"] as Any)")
            #expect(removed.withLock { $0 } == ["", "marker", "untold"])
        }
    }

    /// moto checks no signatures, so plain requests suffice for the bucket.
    @Test func `where a bucket keeps versions, none stays`() async throws {
        let moto = try await MotoServer.start()
        try await S3Bench.with(moto.endpoint) { bench in
            func ask(_ method: String, _ query: String, _ body: String? = nil) async throws -> String {
                var request = HTTPClientRequest(url: "\(moto.url)/\(bench.bucket)?\(query)")
                request.method = HTTPMethod(rawValue: method)
                request.body = body.map { .bytes(ByteBuffer(string: $0)) }
                let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
                return String(buffer: try await answer.body.collect(upTo: 1 << 20))
            }
            let on = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
            _ = try await ask("PUT", "versioning", on)
            let found = Mutex<[SurveyFinding]>([])
            _ = try await bench.destination().survey(DestinationName(unchecked: "bucket"), below: "trial") { finding in
                found.withLock { $0.append(finding) }
            }
            #expect(found.withLock { $0 }.contains { $0.ability == "remove objects" && $0.answer == .yes })
            let versions = try await ask("GET", "versions")
            #expect(versions.contains("ListVersionsResult") && !versions.contains("trial"), "\(versions)")
        }
        try await moto.stop()
    }

    @Test func `one that is cancelled removes what it has written`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            let (parts, came) = AsyncStream.makeStream(of: Void.self)
            proxy.setRule { request in
                guard request.partNumber != nil else { return .forward }
                came.yield()
                return .stallRequest(afterBytes: 0)
            }
            let destination = try bench.destination(
                bench.configuration(by: server.endpoint.through(port: proxy.port)))
            let survey = Task {
                await destination.survey(DestinationName(unchecked: "bucket"), below: "trial/") { _ in }
            }
            for await _ in parts { break }
            survey.cancel()
            _ = await survey.value
            #expect(try await bench.observer.listKeys(bench.bucket).isEmpty)
            #expect(try await bench.observer.listUploads(bench.bucket).isEmpty)
            proxy.stop()
        }
    }

    // MARK: Decided in values

    @Test func `conditions are relied on as far as they were seen to be obeyed`() {
        let all = Conditioned(absent: .obeyed, other: .obeyed, own: .obeyed)
        let none = Conditioned(absent: .ignored)
        let some = Conditioned(absent: .obeyed)
        let table: [(Conditioned, Conditioned, S3Configuration.Conditions?)] = [
            (all, all, .all), (all, none, .put), (none, all, S3Configuration.Conditions.none), (some, all, nil),
            (all, some, nil),
            (Conditioned(absent: .obeyed, other: .obeyed, own: .refused), all, S3Configuration.Conditions.none),
            (all, Conditioned(absent: .lacking), .put),
        ]
        for (put, completion, expected) in table {
            var measured = S3Measurements()
            (measured.put, measured.completion) = (put, completion)
            #expect(measured.conditions == expected, "\(put) \(completion)")
        }
    }

    @Test func `advice is what differs from the configuration`() {
        func advice(
            _ effective: S3Configuration.Conditions? = nil, isPlain: Bool = false,
            _ change: (inout S3Measurements, inout S3Configuration) -> Void
        ) -> [String?] {
            var (measured, configuration) = (S3Measurements(), S3Configuration(bucket: "b"))
            change(&measured, &configuration)
            return measured.advice(for: configuration, effective: effective, isPlain: isPlain).map(\.setting)
        }
        let all = Conditioned(absent: .obeyed, other: .obeyed, own: .obeyed)
        #expect(advice { _, _ in }.isEmpty)
        #expect(advice(.all) { measured, _ in (measured.put, measured.completion) = (all, all) }.isEmpty)
        #expect(advice { measured, _ in (measured.put, measured.completion) = (all, all) } == ["conditions: all"])
        let md5: (inout S3Measurements) -> Void = { ($0.isETagMD5, $0.isPartedETagMD5) = (true, true) }
        #expect(advice { measured, _ in md5(&measured) } == ["etag: md5"])
        #expect(
            advice { measured, _ in
                md5(&measured)
                (measured.comparesChecksums, measured.tellsChecksums) = (true, true)
            }.isEmpty)
        #expect(
            advice { measured, configuration in
                md5(&measured)
                configuration.object.encryption = .kms(keyID: nil, isDual: false, usesBucketKey: false)
            }.isEmpty)
        #expect(
            advice { measured, configuration in
                (measured.isETagMD5, measured.isPartedETagMD5) = (true, false)
                configuration.etag = .md5
            } == ["etag: opaque"])
        let ignored = Conditioned(absent: .ignored)
        #expect(advice { measured, _ in (measured.put, measured.completion) = (ignored, all) } == ["conditions: none"])
        // The condition that is sent in addition to the looks does no harm there, and helps.
        let absentAlone = Conditioned(absent: .obeyed, other: .obeyed, own: .refused)
        #expect(advice { measured, _ in (measured.put, measured.completion) = (absentAlone, ignored) } == [nil])
        #expect(advice(.all) { measured, _ in (measured.put, measured.completion) = (absentAlone, ignored) } == [nil])
        #expect(advice(isPlain: true) { _, _ in } == ["signPayload: true"])
        #expect(advice(isPlain: true) { $1.signsPayload = true }.isEmpty)
        #expect(advice { measured, _ in measured.removesUnfinished = false } == [nil])
    }

    @Test func `a life-cycle rule counts where it is on and holds for every key`() throws {
        func rule(_ inner: String) throws -> S3LifecycleRules.Rule {
            let body = Array("<LifecycleConfiguration><Rule>\(inner)</Rule></LifecycleConfiguration>".utf8)
            let reply = HTTPReply(status: 200, headers: [:], body: Data(body), isWhole: true)
            return try #require(try reply.xml(S3LifecycleRules.self, of: "GetBucketLifecycle").rules?.first)
        }
        let abort =
            "<AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload>"
        #expect(try rule("<Status>Enabled</Status><Filter><Prefix></Prefix></Filter>\(abort)").days(for: "in/") == 7)
        #expect(try rule("<Status>Enabled</Status><Filter/>\(abort)").days(for: "in/") == 7)
        #expect(try rule("<Status>Enabled</Status><Prefix>in</Prefix>\(abort)").days(for: "in/") == 7)
        #expect(
            try rule("<Status>Enabled</Status><Filter><Prefix>in/a</Prefix></Filter>\(abort)").days(for: "in/") == nil)
        #expect(try rule("<Status>Disabled</Status><Filter/>\(abort)").days(for: "in/") == nil)
        #expect(
            try rule("<Status>Enabled</Status><Filter/><Expiration><Days>1</Days></Expiration>").days(for: "in/") == nil
        )
    }
}
