import Foundation
import Testing
import UploadDestinations
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct HTTPSettingsTests: DestinationSettingsSuite {
    static let driver = "http"
    let files: Files

    init() throws { files = try Files() }

    private func settings(_ lines: String) throws -> HTTPSettings { try #require(try driver(lines) as? HTTPSettings) }

    @Test func `a url is all that a server needs`() throws {
        #expect(try settings("url: https://h/base/").configuration == HTTPConfiguration(url: "https://h/base/"))
        #expect(HTTPConfiguration().partBytes == 32 << 20)
    }

    @Test func `every key of a form has its effect`() throws {
        let http = try settings(
            """
            url: https://h/up?x=1
            method: POST
            keyInURL: false
            form: {file: photo, filename: '{stem}', fields: {title: '{metadata.title}'}, secretFields: {token: env:TOKEN}}
            jobHeaders: {X-Job: '{job}'}
            success: [200, 201-204, 303]
            answer: {url: data.link}
            idempotencyKey: true
            sizeMaximum: 10MiB
            """)
        var expected = HTTPConfiguration(url: "https://h/up?x=1")
        expected.method = .post
        expected.appendsKey = false
        expected.form = try HTTPForm(
            file: "photo", filename: JobTemplate("{stem}"), fields: ["title": JobTemplate("{metadata.title}")])
        expected.jobHeaders = ["X-Job": try JobTemplate("{job}")]
        expected.success = try HTTPStatuses(["200", "201-204", "303"])
        expected.answerURL = "data.link"
        expected.sendsIdempotencyKey = true
        expected.sizeMaximum = 10 << 20
        #expect(http.configuration == expected)
        #expect(http.secretFields == ["token": .environment(variable: "TOKEN")])
        #expect(try settings("url: https://h/\nform: {file: f}").configuration.method == .post)
        let put = try settings("url: https://h/\nform: {file: f}\nmethod: PUT").configuration
        #expect(put.method == .put && put.form != nil)
    }

    @Test func `every key of ranges has its effect`() throws {
        var expected = HTTPConfiguration(url: "https://h/")
        expected.ranges = true
        expected.answersHead = true
        expected.partBytes = 64 << 20
        #expect(
            try settings("url: https://h/\nranges: true\nanswersHead: true\npartSize: 64MiB").configuration == expected)
    }

    @Test func `the profile of Imgur needs its client's id alone`() throws {
        let http = try settings("profile: imgur\nclientID: env:CLIENT")
        #expect(try http.configuration == HTTPConfiguration.imgur())
        #expect(http.web.url == "https://api.imgur.com/3/image")
        let other = try settings(
            """
            profile: imgur
            authorization: env:TOKEN
            url: http://127.0.0.1:1/3/image
            form: {fields: {title: '{name}'}}
            sizeMaximum: 200MiB
            """)
        #expect(other.configuration.url == "http://127.0.0.1:1/3/image")
        #expect(other.configuration.form?.fields["title"] == (try JobTemplate("{name}")))
        #expect(other.configuration.form?.fields["type"] == (try JobTemplate("file")))
        #expect(other.configuration.sizeMaximum == 200 << 20)
    }

    @Test func `authorization is of any scheme, and comes of a file that may change`() async throws {
        let path = try files.write("authorization", "token first\n")
        let lines = "url: https://h/\nauthorization: file:\(path)"
        let configuration = try configuration(lines)
        let name = DestinationName(unchecked: "a")
        let web = try settings(lines).web
        #expect(try configuration.headers(of: name, web) == ["Authorization": "token first"])
        _ = try files.write("authorization", "token second\n")
        #expect(try configuration.headers(of: name, web) == ["Authorization": "token second"])
        // The driver reads the headers at each step.
        let registry = try DestinationRegistry(configuration)
        let job = UploadJob(source: .inline(Data()), destination: .named(name, key: "k"), size: 0)
        let destination = try #require(try registry.destination(for: job.destination))
        _ = try await destination.open(job, resuming: nil)
        try FileManager.default.removeItem(atPath: path)
        let error = await #expect(throws: UploadError.self) { try await destination.open(job, resuming: nil) }
        #expect(error?.code == .misconfigured)
        #expect(error?.retry == .afterBackoff)
        try await registry.shutdown()
    }

    @Test(arguments: [
        ("method: PUT", "'url' is missing"), ("url: https://h/x", "ends in '/'"),
        ("url: https://h/x\nmethod: POST", "ends in '/'"), ("url: https://h/\nmethod: PATCH", "expected PUT or POST"),
        ("url: https://h/\nkeyInURL: false", "a PUT always names"),
        ("url: https://h/\nform: {fields: {a: b}}", "goes with form.file"),
        ("url: https://h/\nform: {file: f, fields: {a: '{what}'}}", "there is no placeholder {what}"),
        ("url: https://h/\nform: {file: f, secretFields: {a: 'env:NOT_SET_ANYWHERE'}}", "form.secretFields.a"),
        ("url: https://h/\nform: {file: f}\nranges: true", "goes with a plain PUT only"),
        ("url: https://h/\nmethod: POST\nanswersHead: true", "goes with a plain PUT only"),
        ("url: https://h/\nranges: true\nidempotencyKey: true", "makes no sense with ranges"),
        ("url: https://h/\npartSize: 8MiB", "goes with ranges"),
        ("url: https://h/\nranges: true\npartSize: 9MiB", "expected a multiple of 8MiB"),
        ("url: https://h/\nsuccess: [2xx]", "'2xx' is no status"),
        ("url: https://h/\nclientID: x", "goes with the profile imgur"), ("profile: imgur", "'clientID' is missing"),
        ("profile: flickr", "expected 'imgur'"),
        ("profile: imgur\nclientID: x\nmethod: POST", "is part of the profile"),
        ("url: https://h/\nauthorization: a\nbearerToken: b", "give one of them"),
    ])
    func `what is wrong is said with its place`(lines: String, expected: String) {
        let problem = problem(lines)
        #expect(problem?.contains(expected) == true, "\(problem as Any)")
        #expect(problem?.hasPrefix("upload.yaml:") == true, "\(problem as Any)")
    }
}
