import Foundation
import NIOHTTP1
import Testing
import UploadTesting

@testable import UploadDestinations

/// Compares with botocore, the signer of AWS's own tools, on random requests.
@Suite(.timeLimit(.minutes(10)))
struct SigningBotocoreTests {
    private static let count = 300

    /// Reads lines of JSON from one file, signs them, and writes the results to another.
    private static let script = #"""
        import base64, datetime, json, sys
        import botocore.auth, botocore.compat
        from botocore.awsrequest import AWSRequest
        from botocore.config import Config
        from botocore.credentials import Credentials

        with open(sys.argv[1], encoding="utf-8") as cases, open(sys.argv[2], "w", encoding="utf-8") as answers:
            for line in cases:
                case = json.loads(line)
                moment = datetime.datetime.strptime(case["timestamp"], "%Y%m%dT%H%M%SZ")
                botocore.auth.get_current_datetime = lambda: moment
                credentials = Credentials(case["id"], case["secret"], case.get("token"))
                request = AWSRequest(method=case["method"], url=case["url"], data=base64.b64decode(case["body"]))
                for name, value in case["headers"]:
                    request.headers.add_header(name, value)
                request.context["client_config"] = Config(s3={"payload_signing_enabled": case["signsBody"]})
                if case["seconds"]:
                    signer = botocore.auth.S3SigV4QueryAuth(credentials, "s3", case["region"], expires=case["seconds"])
                    request.data = b""
                else:
                    signer = botocore.auth.S3SigV4Auth(credentials, "s3", case["region"])
                signer.add_auth(request)
                answers.write(json.dumps({
                    "url": request.url, "authorization": request.headers.get("Authorization", ""),
                    "sha256": request.headers.get("X-Amz-Content-SHA256", ""),
                }) + "\n")
        """#

    private struct Case: Codable {
        var id: String
        var secret: String
        var token: String?
        var region: String
        var timestamp: String
        var method: String
        var url: String
        var headers: [[String]]
        var body: Data
        var signsBody: Bool
        /// How long a pre-signed URL is valid; 0 for a signature in a header.
        var seconds: Int
    }

    private struct Answer: Codable {
        var url: String
        var authorization: String
        var sha256: String
    }

    @Test func `header and query signatures are botocore's on random requests`() async throws {
        let directory = try TemporaryDirectory()
        var random = Random(state: 20_261_121)
        let encoder = JSONEncoder()
        var lines = Data()
        var ours: [(case: Case, answer: Answer)] = []
        for number in 0..<Self.count {
            let pair = Self.signed(&random, isQuery: number % 3 == 0)
            ours.append(pair)
            lines += try encoder.encode(pair.case) + Data("\n".utf8)
        }
        try lines.write(to: directory.url("cases"))
        let arguments = ["python3", "-c", Self.script, directory.path("cases"), directory.path("answers")]
        let errors = directory.path("errors")
        let code = try await Task.detached {
            try ChildProcess("/usr/bin/env", arguments, errors: errors).wait()
        }.value
        let complaint = String(decoding: directory.read("errors") ?? [], as: UTF8.self)
        try #require(code == 0, "botocore is needed, see deploy/install: \(complaint)")
        let theirs = try String(decoding: directory.read("answers") ?? [], as: UTF8.self).split(separator: "\n").map {
            try JSONDecoder().decode(Answer.self, from: Data($0.utf8))
        }
        try #require(theirs.count == Self.count)
        for (ours, theirs) in zip(ours, theirs) {
            if ours.case.seconds == 0 {
                #expect(ours.answer.authorization == theirs.authorization, "\(ours.case.url)")
                #expect(ours.answer.sha256 == theirs.sha256)
            } else {
                #expect(Set(Self.query(ours.answer.url)) == Set(Self.query(theirs.url)), "\(ours.case.url)")
                let credentials = AWSCredentials(accessKeyID: ours.case.id, secretAccessKey: ours.case.secret)
                let url = try #require(PresignedURL(theirs.url))
                #expect(url.isSigned(by: credentials, method: ours.case.method, headers: Self.headers(ours.case)))
            }
        }
    }

    private static func query(_ url: String) -> [Substring] {
        url.split(separator: "?").last?.split(separator: "&") ?? []
    }

    private static func headers(_ made: Case) -> HTTPHeaders { HTTPHeaders(made.headers.map { ($0[0], $0[1]) }) }

    private static func signed(_ random: inout Random, isQuery: Bool) -> (case: Case, answer: Answer) {
        let host = random.one(of: ["bucket.s3.example", "127.0.0.1:9000", "s3.eu-central-1.amazonaws.com"])
        let path = "/" + S3Encoding.path(random.text(0...40))
        // When botocore pre-signs, it reads a URL's query into a dictionary, so no name may occur twice.
        var names = ["partNumber", "uploadId", "uploads", "prefix", "x-id"]
        names += (0..<4).map { _ in random.text(1...8) }
        names = Array(Set(names)).sorted().filter { _ in random.coin() }
        if !isQuery, let name = names.first { names += [name, name] }
        let query = names.map { SignableRequest.Parameter($0, random.coin() ? random.text(0...12) : nil) }
        var fields = [["Host", host]]
        let metadata = ["Content-Type", "Cache-Control", "X-Amz-Acl", "x-amz-meta-Name", "x-amz-meta-name2", "Range"]
        for name in metadata where random.coin() {
            fields.append([name, random.one(of: ["a", " a  b \t c ", "x=\"y  z\"", "", "text/plain; charset=utf-8"])])
        }
        if random.coin() { fields.append(["User-Agent", "anything"]) }
        let date = Date(timeIntervalSince1970: Double.random(in: 1_000_000_000...4_000_000_000, using: &random))
        let made = Case(
            id: "AKID" + String(random.next(), radix: 36).uppercased(), secret: random.text(20...40),
            token: random.coin() ? String(random.next(), radix: 36) + "/+==" : nil,
            region: random.one(of: ["us-east-1", "eu-central-1", "auto", "garage"]),
            timestamp: SigV4Date(date).timestamp,
            method: random.one(of: ["GET", "PUT", "POST", "HEAD", "DELETE"]),
            url: "https://\(host)\(path)" + (query.isEmpty ? "" : "?\(S3Encoding.query(query))"), headers: fields,
            body: Data(random.text(0...30).utf8), signsBody: random.coin(),
            seconds: isQuery ? Int.random(in: SigV4Signer.presignedSeconds, using: &random) : 0)
        let request = SignableRequest(
            method: made.method, host: host, path: path, query: query, headers: headers(made))
        let credentials = AWSCredentials(
            accessKeyID: made.id, secretAccessKey: made.secret, sessionToken: made.token)
        let signer = SigV4Signer(region: made.region)
        if isQuery {
            let query = signer.presign(request, expiresInSeconds: made.seconds, credentials: credentials, at: date)
            return (made, Answer(url: "https://\(host)\(path)?\(query)", authorization: "", sha256: ""))
        }
        let added = signer.sign(
            request, payload: made.signsBody ? .hash(of: made.body) : .unsigned, credentials: credentials, at: date)
        return (
            made,
            Answer(
                url: made.url, authorization: added.first(name: "authorization") ?? "",
                sha256: added.first(name: "x-amz-content-sha256") ?? "")
        )
    }
}

/// Random numbers and texts that a seed reproduces (SplitMix64).
private struct Random: RandomNumberGenerator {
    var state: UInt64

    private static let pieces = [
        "a", "Z", "0", "-", ".", "_", "~", "/", "//", " ", "+", "%", "%2F", "&", "=", "?", "#", "'", "(", ")", "*", "!",
        "$", "@", ":", ";", ",", "\"", "\\", "<", "{", "|", "^", "`", "é", "e\u{301}", "ß", "日本語", "🙂", "\u{7f}",
        "\u{a0}",
        "..", "\t",
    ]

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func coin() -> Bool { next() & 1 == 0 }

    mutating func one<Value>(of values: [Value]) -> Value { values[Int.random(in: values.indices, using: &self)] }

    mutating func text(_ length: ClosedRange<Int>) -> String {
        (0..<Int.random(in: length, using: &self)).map { _ in one(of: Self.pieces) }.joined()
    }
}
