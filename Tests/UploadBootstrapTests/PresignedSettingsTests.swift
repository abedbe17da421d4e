import Testing
import UploadDestinations
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct PresignedSettingsTests: DestinationSettingsSuite {
    static let driver = "presigned"
    let files: Files

    init() throws { files = try Files() }

    private func settings(_ lines: String) throws -> PresignedSettings {
        try #require(try driver(lines) as? PresignedSettings)
    }

    @Test func `a url is all that an endpoint needs`() throws {
        let presigned = try settings("url: https://api.example/sign")
        #expect(presigned.configuration == PresignedConfiguration(url: "https://api.example/sign"))
        #expect(presigned.fields.isEmpty)
        #expect(
            presigned.configuration.fields == ["key": "{key}", "size": "{size}", "contentType": "{contentType}"])
    }

    @Test func `every key has its effect`() async throws {
        let lines = """
            url: https://api.example/sign
            request: {method: PUT, fields: {file: "{name}", secret: env:TOKEN, size: "{size}", public: true}}
            answer: {url: data.0.url, id: data.0.id, expires: data.0.until, headers: data.0.with}
            contentMD5: true
            complete: {url: "https://api.example/{id}/done", method: PATCH, doneStatuses: [409, 410], sendAgainWhenAbsent: true}
            status: {url: "https://api.example/{id}", path: upload.state, done: [ready, kept], failed: infected, open: new, askAgain: 9s}
            bearerToken: env:TOKEN
            caFile: /etc/ca.pem
            answerTimeout: 5s
            stallTimeout: 7s
            limits: {jobs: 3}
            """
        var expected = PresignedConfiguration(url: "https://api.example/sign")
        expected.method = "PUT"
        expected.answer = PresignedAnswer(
            url: "data.0.url", id: "data.0.id", expires: "data.0.until", headers: "data.0.with")
        expected.sendsContentMD5 = true
        expected.completion = PresignedCompletion(
            url: "https://api.example/{id}/done", method: "PATCH", doneStatuses: [409, 410], sendsAgainWhenAbsent: true)
        expected.status = PresignedStatus(
            url: "https://api.example/{id}", path: "upload.state", done: ["ready", "kept"], failed: ["infected"],
            open: ["new"], askAgainSeconds: 9)
        expected.tls = TLSFiles(authorities: "/etc/ca.pem")
        expected.times.firstByteSeconds = 5
        expected.times.stallSeconds = 7
        let presigned = try settings(lines)
        #expect(presigned.configuration == expected)
        #expect(
            presigned.fields == [
                "file": Secret("{name}"), "secret": Secret("env:TOKEN"), "size": Secret("{size}"),
                "public": Secret("true"),
            ])
        let name = DestinationName(unchecked: "a")
        let registry = try DestinationRegistry(try configuration(lines))
        let destination = try registry.destination(for: .named(name, key: "k"))
        #expect(destination?.driver == "presigned" && destination?.limits == TransferLimits(jobs: 3))
        try await registry.shutdown()
    }

    @Test(arguments: [
        ("contentMD5: true", "'url' is missing"), ("url: https://h/\nrequest: {method: DELETE}", "expected"),
        ("url: https://h/\nbucket: b", "is no key of driver 'presigned' (but of 's3')"),
        ("url: https://h/\ncomplete: {method: PUT}", "'url' is missing"),
        ("url: https://h/\nstatus: {url: \"https://h/{id}\"}", "'done' is missing"),
        ("url: https://h/\nrequest: {fields: {a: \"{nothing}\"}}", "the destination's field 'a' is no template"),
        ("url: https://h/\nrequest: {fields: {a: env:NOT_SET_ANYWHERE}}", "fields.a"),
        ("url: https://h/\ncomplete: {url: \"https://h/{key}\"}", "use {id} or {job}"),
        ("url: https:///x", "is no URL such as"),
    ])
    func `what is wrong is said with its place`(lines: String, expected: String) {
        let problem = problem(lines)
        #expect(problem?.contains(expected) == true, "\(problem as Any)")
        #expect(problem?.hasPrefix("upload.yaml:") == true, "\(problem as Any)")
    }
}
