import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

/// What the programs refuse of a producer's job, the schema refuses, and nothing else.
@Suite(.timeLimit(.minutes(10))) struct SchemaAgreementTests {
    /// A field, and values for it in a job.
    private struct Field {
        let job: JSONValue
        let path: [String]
        let values: [JSONValue]

        init(_ job: JSONValue, _ path: String, _ values: [JSONValue]) {
            self.job = job
            self.path = path.split(separator: "/").map(String.init)
            self.values = values
        }
    }

    private static let inline: JSONValue = [
        "id": "019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90", "enqueuedAt": "2026-11-21T08:00:00Z", "size": 5,
        "source": ["kind": "inline", "data": "aGVsbG8="], "destination": ["name": "archive", "key": "hello.txt"],
    ]
    private static let file = with(
        ["source"],
        [
            "kind": "file", "path": "/in/a", "modifiedAt": "2026-11-21T08:00:00Z", "inode": "7", "fileSystem": "9",
        ])
    private static let bytes = with(["source"], ["kind": "file", "path": "/in/a%", "pathBytes": "L2lu/w=="])
    private static let object = with(["source"], ["kind": "object", "from": ["name": "shelf", "key": "a"]])
    private static let copy = with(["source"], ["kind": "object", "from": ["url": "https://host.example/a"]])
    private static let url = with(["destination"], ["url": "https://host.example/a"])
    private static let verified = with(["verify"], true, in: with(["size"], 5, in: url))

    private static func with(_ path: [String], _ value: JSONValue, in job: JSONValue = inline) -> JSONValue {
        guard case .object(var fields) = job, let name = path.first else { return value }
        fields[name] = path.count == 1 ? value : with(Array(path.dropFirst()), value, in: fields[name] ?? [:])
        return .object(fields)
    }

    private static let keys: [JSONValue] = [
        "a", "a/b", "a//b", "a/", "..a", "a..", "a/.../b", ".a", "a\n", "..\n", "é/ü", "../x", "a/../b", "a/..", "..",
        ".",
        "./a", "a/./b", "a/.", "/a", "/", "", "a\0b", "a\u{1}b", 5, .string(String(repeating: "a", count: 1024)),
        .string(String(repeating: "a", count: 1025)), .string(String(repeating: "a/", count: 512)),
    ]
    private static let urls: [JSONValue] = [
        "https://host/x", "HTTPS://host/x", "http://host/x?y=z", "ftp://host/x", "s3://a/b", "host/x", "", "://x",
        "file:///x", "File:///x", "file://host/x", "https:/host",
    ]
    private static let sizes: [JSONValue] = [
        0, 5, .integer(1 << 50), .integer(1 << 50 + 1), -1, .number(1.5), "5", true, 6, .integer(.max),
    ]
    private static let numbers: [JSONValue] = [
        "0", "18446744073709551615", "18446744073709551616", "09999999999999999999", "19999999999999999999",
        "99999999999999999999", "123456789012345678901", "-1", "+1", "-0", "1a", "", " 1", "1\n", 7,
    ]
    private static let names: [JSONValue] = [
        "a", "a-b_9", "A", "", "ä", "a b", "a\n", .string(String(repeating: "a", count: 64)),
        .string(String(repeating: "a", count: 65)),
    ]
    private static let times: [JSONValue] = [
        "2026-11-21T08:00:00Z", "2026-11-21T08:00:00.123Z", "2026-11-21T08:00:00+01:00", "1970-01-01T00:00:00Z",
        "2261-12-31T00:00:00Z", "1969-12-31T23:59:59Z", "2026-11-21", "yesterday", "", 5,
    ]
    private static let headers: [JSONValue] = [
        "a", "a b", "", " a", "a ", "é", "a\tb", "a\n", .string(String(repeating: "a", count: 1024)),
        .string(String(repeating: "a", count: 1025)),
    ]

    /// Base64 with and without faults, each with the size that a producer would name.
    private static var data: [JSONValue] {
        let counts = [0, 1, 2, 3, 32_766, 32_767, 32_768, 32_769, 32_770, 40_000]
        let whole = counts.map { count in
            with(
                ["source", "data"], .string(Data(repeating: 120, count: count).base64EncodedString()),
                in: with(["size"], .integer(Int64(count))))
        }
        let broken: [JSONValue] = [
            "aGVsbG8", "aGVsbG8=\n", "aGVs bG8=", "aGVs\nbG8=", "aGVsbG8=aGVs", "aGVsbG8-", "aGVsbG8_",
            "a", "=", "====", "a===", "äGVsbG8=", "\0GVsbG8=", 5,
        ]
        let others = [(0, "aGVsbG8="), (5, ""), (0, ""), (40_000, "")].map { size, text in
            with(["source", "data"], .string(text), in: with(["size"], .integer(size)))
        }
        return whole + broken.map { with(["source", "data"], $0) } + others
    }

    private static let fields: [Field] = [
        Field(inline, "destination/key", keys), Field(object, "source/from/key", keys),
        Field(inline, "destination/name", names), Field(object, "source/from/name", names),
        Field(url, "destination/url", urls),
        Field(copy, "source/from/url", ["https://host/x", "file:///x", "ftp://h"]),
        Field(verified, "destination/url", ["https://host/x", "https://host/x?y"]),
        Field(file, "size", sizes), Field(inline, "size", [5, -1, .number(1.5), "5", .integer(1 << 50)]),
        Field(file, "source/inode", numbers), Field(file, "source/fileSystem", numbers),
        Field(file, "source/modifiedAt", times),
        Field(file, "source/modifiedAt", ["2263-01-01T00:00:00Z", "9999-01-01T00:00:00Z"]),
        Field(file, "source/path", ["/a", "/", "a", "", "/a\0b", "./a", 5]),
        Field(bytes, "source/pathBytes", ["L2lu/w==", "Lw==", "", "aW4=", "L2lu/w", "L2lu/w==\n", "?"]),
        Field(inline, "enqueuedAt", times), Field(inline, "enqueuedAt", ["9999-01-01T00:00:00Z"]),
        Field(inline, "queue", names),
        Field(inline, "priority", ["urgent", "normal", "bulk", "continued", "now", 1]),
        Field(inline, "ifExists", ["skip", "replace", "fail", "rename", "overwrite", true]),
        Field(inline, "id", ["019A7D3E-0B6C-7C11-9A53-2F4F5C1B7A90", "019a7d3e", "", 7]),
        Field(inline, "digests/crc64nvme", ["ae8b14860a799888", "AE8B14860A799888", "ae8b", "", "ge8b14860a799888"]),
        Field(inline, "digests/sha256", [.string(String(repeating: "a", count: 64)), "a"]),
        Field(inline, "properties/cacheControl", headers), Field(inline, "properties/storageClass", headers),
        Field(inline, "retry/maxAttempts", [1, 0, -1, 1_000_000_000, 1_000_000_001, .number(1.5)]),
        Field(inline, "retry/factor", [1, .number(0.5), 1_000_000, 1_000_001]),
        Field(inline, "retry/cap", [0, -1, .number(0.5)]),
        Field(inline, "serial/index", [-1, .integer(1 << 40)]), Field(inline, "verify", [true, false, "yes", 1]),
        Field(inline, "source/kind", ["inline", "file", "tape", 1]),
        Field(inline, "batch", ["b", 5, .string(String(repeating: "é", count: 1025))]),
        Field(inline, "metadata", [["a": "b"], ["a": 5], [], "x"]),
    ]

    /// Whether the programs would enqueue it, by the fields about which this schema says something. Its producers need not
    /// keep to the narrower bounds of texts that `enqueue-upload` and the HTTP API have.
    private static func isTaken(_ json: Data) -> Bool {
        guard let job = try? WireJSON.decode(UploadJob.self, from: json) else { return false }
        let narrower: Set = ["metadata", "batch", "idempotencyKey", "client", "contentType"]
        return job.problems(now: job.enqueuedAt, among: nil).allSatisfy { narrower.contains($0.field) }
    }

    @Test func `the schema of a job refuses exactly what the programs refuse`() async throws {
        let jobs =
            Self.data
            + Self.fields.flatMap { field in field.values.map { Self.with(field.path, $0, in: field.job) } }
            + ["id", "enqueuedAt", "size", "source", "destination"].flatMap { name in
                [Self.inline, Self.file, Self.object].map { job in
                    guard case .object(var fields) = job else { return job }
                    fields[name] = nil
                    return .object(fields)
                }
            }
        let cases = try jobs.map { ("upload.job.v1", try WireJSON.encode($0)) }
        let verdicts = try await SchemaTests.judge(cases)
        try #require(verdicts.count == cases.count)
        for (verdict, (_, json)) in zip(verdicts, cases) {
            #expect(
                (verdict == "valid") == Self.isTaken(json),
                "\(String(decoding: json.prefix(600), as: UTF8.self)): \(verdict.prefix(600))")
        }
        #expect(verdicts.count { $0 == "valid" } > 60)
        #expect(verdicts.count { $0 != "valid" } > 120)
    }

    @Test func `what the schema of a job says only in words, it calls valid, and the programs refuse`() async throws {
        let jobs = [
            // A key is bounded in bytes.
            Self.with(["destination", "key"], .string(String(repeating: "é", count: 600))),
            Self.with(["size"], 6), Self.with(["metadata"], ["a": .string(String(repeating: "a", count: 1 << 16))]),
            Self.with(["serial"], [:]),
            Self.with(["source", "pathBytes"], "LwAA", in: Self.bytes),
            Self.with(["later"], .array([Self.nested(WireLimits.depthMaximum + 1)])),
        ]
        let cases = try jobs.map { ("upload.job.v1", try WireJSON.encode($0)) }
        for (verdict, (_, json)) in zip(try await SchemaTests.judge(cases), cases) {
            #expect(verdict == "valid", "\(String(decoding: json.prefix(600), as: UTF8.self))")
            #expect(!Self.isTaken(json), "\(String(decoding: json.prefix(600), as: UTF8.self))")
        }
    }

    /// A reader need not refuse everything that no producer may write.
    @Test func `too much padding, and days that a month does not have, are read, and no valid job has them`()
        async throws
    {
        let jobs = [
            Self.with(["source", "data"], "aGVsbG8=="), Self.with(["source", "data"], "aGVsbG8======="),
            Self.with(["enqueuedAt"], "2026-02-30T00:00:00Z"),
        ]
        let cases = try jobs.map { ("upload.job.v1", try WireJSON.encode($0)) }
        for (verdict, (_, json)) in zip(try await SchemaTests.judge(cases), cases) {
            #expect(verdict != "valid" && Self.isTaken(json), "\(String(decoding: json, as: UTF8.self))")
        }
    }

    /// A worker's event about a job that it refused shows the job as it came.
    @Test func `events about a job with a key that is refused are valid`() async throws {
        var job = FuzzSamples.job
        job.destination = .named(DestinationName(unchecked: "photos"), key: "../x")
        job.renamedFrom = nil
        let event = UploadEvent(
            outcome: .failed(FuzzSamples.error, state: nil), of: Baton(job: job), at: FuzzSamples.time)
        let json = try WireFormat.message(event: event).body
        #expect(try await SchemaTests.judge([("upload.event.v1", json)]) == ["valid"])
        let order = try WireFormat.message(job: job).body
        #expect(try await SchemaTests.judge([("upload.job.v1", order)]).first?.contains("$.destination.key") == true)
    }

    private static func nested(_ depth: Int) -> JSONValue { depth == 0 ? 1 : ["n": nested(depth - 1)] }
}
