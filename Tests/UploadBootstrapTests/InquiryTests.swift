import ArgumentParser
import Foundation
import NIOHTTP1
import Testing
import UploadTesting
import Uploads
import UploadsAPI

@testable import UploadBootstrap

struct InquiryTests {
    @Test func `a page is its list and the place of the next page`() throws {
        func page(_ json: String) throws -> ListPage<Int> {
            try WireJSON.decode(ListPage<Int>.self, from: Data(json.utf8))
        }
        #expect(try page(#"{"jobs": [1, 2], "next": "abc"}"#).next == "abc")
        #expect(try page(#"{"next": 17, "deadLetters": [3]}"#).next == "17")
        #expect(try page(#"{"next": 17, "waiting": 9, "line": [3]}"#).items == [3])
        let last = try page(#"{"queues": [4], "next": null}"#)
        #expect(last.next == nil && last.items == [4])
        #expect(throws: DecodingError.self) { try page(#"{"next": null}"#) }
    }

    @Test func `a filter becomes the API's query, with times relative to now`() throws {
        let filter = try JobFilter.parse([
            "--status", "failed,running", "--status", "waiting", "--batch", "a b&c", "--since", "2h", "--until",
            "2026-11-21T08:00:00Z",
        ])
        let now = try #require(WireJSON.date("2026-11-21T09:00:00Z"))
        let query = try filter.query(now: now).map { "\($0.name)=\(NotifierClient.encoded($0.value))" }
        #expect(
            query == [
                "status=failed", "status=running", "status=waiting", "batch=a%20b%26c",
                "since=2026-11-21T07%3A00%3A00.000Z",
                "until=2026-11-21T08%3A00%3A00.000Z",
            ])
    }

    @Test(arguments: [["--limit", "0"], ["--status", "gone"], ["--status", "failed,"], ["--limit", "1000000001"]])
    func `an impossible filter is refused before the notifier is asked`(arguments: [String]) {
        #expect(throws: (any Error).self) { try JobFilter.parse(arguments) }
    }

    @Test func `waiting is for jobs or for a batch, and its limit is a duration`() throws {
        let id = JobID().rawValue
        #expect(try WaitChoice(ids: [], batch: "b", timeout: "90s").limit == .seconds(90))
        #expect(try WaitChoice(ids: [id], batch: nil, timeout: nil).limit == nil)
        let wrong: [([String], String?, String?)] = [
            ([], nil, nil), ([id], "b", nil), (["x"], nil, nil), ([id], nil, "soon"), ([id], nil, "-1s"),
        ]
        for (ids, batch, timeout) in wrong {
            let error = #expect(throws: ProgramError.self) {
                try WaitChoice(ids: ids, batch: batch, timeout: timeout)
            }
            #expect(error?.exitCode == .usage)
        }
    }

    @Test func `a list is passed on page by page, each before the next one is asked for`() async throws {
        let seen = Box<[Int]>([])
        let seenBefore = Box<[[Int]]>([])
        let pages = [
            #"{"jobs": [1, 2], "next": "a"}"#, #"{"jobs": [], "next": "b"}"#, #"{"jobs": [3, 4], "next": "c"}"#,
        ]
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            let page = pages[seenBefore.value.count]
            seenBefore.change { $0.append(seen.value) }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)")
        }
        var input = ConfigurationInput(environment: [:])
        input.set("api", to: "http://127.0.0.1:\(server.port)", flag: "--api")
        try await NotifierClient.with(try UploadConfiguration(input)) { client in
            try await client.pages("/v1/jobs", limit: 100, page: 2, cursor: "after") { (page: [Int]) in
                seen.change { $0 += page }
                return !page.contains(4)
            }
        }
        #expect(seen.value == [1, 2, 3, 4], "the body wanted no more")
        #expect(seenBefore.value == [[], [1, 2], [1, 2]])
    }

    @Test func `a long list is written as JSON only, and events as no array`() throws {
        let long = try Inquiry.jobs(JobFilter.parse(["--limit", "1000000"]))
        for format in OutputFormat.allCases {
            if format.isJSON {
                #expect(throws: Never.self) { try long.check(format) }
            } else {
                let error = #expect(throws: ProgramError.self) { try long.check(format) }
                #expect(error?.description.contains("use -o ndjson") == true)
            }
            #expect(throws: Never.self) { try Inquiry.jobs(try JobFilter.parse(["--limit", "100000"])).check(format) }
        }
        let events = Inquiry.watch(try EventChoice.parse([]))
        #expect(throws: ProgramError.self) { try events.check(.json) }
        #expect(throws: Never.self) { try events.check(.ndjson) }
    }

    @Test func `an unknown format is refused with those that there are`() throws {
        #expect(try OutputOptions.parse(["-o", "wide"]).format == .wide)
        #expect(try OutputOptions.parse(["--output", "ndjson"]).format == .ndjson)
        let error = #expect(throws: (any Error).self) { try OutputOptions.parse(["-o", "yaml"]) }
        let text = OutputOptions.message(for: try #require(error))
        #expect(text.contains("'yaml' is invalid for '-o <format>'"), "\(text)")
        #expect(text.contains("'table', 'wide', 'json' or 'ndjson'"), "\(text)")
    }

    @Test func `a text that is no time is refused with the expected forms`() {
        let error = #expect(throws: ProgramError.self) { try PastTime.read("yesterday", of: "--since") }
        #expect(error?.exitCode == .usage)
        #expect(error?.description.contains("--since 'yesterday': expected how long ago") == true)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a connection that the notifier closes just before the next request costs no answer`() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"queues\": []}")
            _ = connection.readHead()
        }
        var input = ConfigurationInput(environment: [:])
        input.set("api", to: "http://127.0.0.1:\(server.port)", flag: "--api")
        try await NotifierClient.with(try UploadConfiguration(input)) { client in
            for _ in 1...3 {
                let queues = try await client.ask(.GET, "/v1/queues", as: ListPage<Int>.self)
                #expect(queues.items == [])
            }
        }
    }

    @Test func `a refusal becomes an exit status`() {
        let codes: [UInt: UploadBootstrap.ExitCode] = [
            400: .usage, 401: .refused, 403: .refused, 404: .noInput, 409: .uploadFailed, 429: .unavailable,
            500: .unavailable, 503: .unavailable,
        ]
        for (status, code) in codes { #expect(NotifierClient.exitCode(of: status) == code, "\(status)") }
    }

    @Test func `the address and the token come from the options, and the token's file is not shown`() throws {
        let files = try Files()
        let path = try files.write("token", "0123456789abcdef\n")
        let options = try InquiryOptions.parse(["--api", "http://notifier.example:9700/", "--token-file", path])
        var input = options.input(try CommonOptions.parse([]))
        input.environment = ["UPLOAD_API": "http://other.example"]
        let configuration = try UploadConfiguration(input)
        #expect(configuration.api == "http://notifier.example:9700/")
        #expect(try configuration.apiToken() == "0123456789abcdef")
        #expect(configuration.apiAddress == "http://notifier.example:9700/")
    }

    @Test(
        arguments: [
            (nil, "http://127.0.0.1:9700"), ("127.0.0.1:19700", "http://127.0.0.1:19700"),
            ("0.0.0.0:9800", "http://127.0.0.1:9800"), ("[::]:9800", "http://[::1]:9800"),
            ("notifier.example:80", "http://notifier.example:80"), ("off", "http://127.0.0.1:9700"),
        ] as [(String?, String)])
    func `without an address the notifier is where notifier.http lets it listen`(http: String?, api: String) throws {
        var input = ConfigurationInput(environment: [:])
        input.set("notifier.http", to: http, flag: "--http")
        #expect(try UploadConfiguration(input).apiAddress == api)
        input.set("api", to: "http://other.example", flag: "--api")
        #expect(try UploadConfiguration(input).apiAddress == "http://other.example")
    }

    @Test func `a token that only the notifier can read is left out, and a refusal says why`() throws {
        let files = try Files()
        let file = try files.write("upload.yaml", "notifier: {token: 'file:secret', http: '0.0.0.0:9800'}\n")
        let input = ConfigurationInput(file: file, environment: [:])
        let without = try UploadConfiguration(input).clientToken()
        #expect(without.token == nil)
        #expect(without.hint?.contains("--token-file") == true && without.hint?.contains("secret") == true)
        _ = try files.write("secret", "0123456789abcdef\n")
        #expect(try UploadConfiguration(input).clientToken().token == "0123456789abcdef")
        _ = try files.write("secret", "short\n")
        #expect(throws: ProgramError.self) { try UploadConfiguration(input).clientToken() }
        var named = input
        named.set("notifier.token", to: "file:gone", flag: "--token-file")
        #expect(throws: ProgramError.self) { try UploadConfiguration(named).clientToken() }
    }

    @Test func `the options for deliveries become the API's query`() throws {
        let choice = try DeliveryChoice.parse(["--delegate", "billing", "--status", "failed"])
        #expect(choice.query.map { "\($0.name)=\($0.value)" } == ["delegate=billing", "status=failed"])
        for wrong in [["--status", "gone"], ["--limit", "0"], ["--job", "x"]] {
            #expect(throws: (any Error).self, "\(wrong)") { try DeliveryChoice.parse(wrong) }
        }
    }

    @Test func `a delivery is shown with its attempts, without control characters`() throws {
        let at = try #require(WireJSON.date("2026-11-21T09:00:00Z"))
        let zone = try #require(TimeZone(secondsFromGMT: 0))
        let delivery = API.Delivery(
            id: 17, delegate: "billing", event: "j.1.ended", job: "j", status: "waiting", attempts: 1, createdAt: at,
            dueAt: at + 60, error: "status 500")
        let lines = InquiryRunner.lines(
            delivery,
            [API.Attempt(at: at, seconds: 0.215, status: 500, answer: "no\u{1B}[2J", error: "status 500")],
            LocalTime(now: at, zone: zone), width: nil)
        #expect(
            lines == [
                "delivery 17  waiting", "", "  delegate  billing", "  job       j", "  event     j.1.ended",
                "  created   09:00:00", "  due       09:01:00", "  error     status 500", "",
                "  09:00:00            0.21 s, status 500, status 500, it answered: no\u{FFFD}[2J",
            ])
    }

    @Test func `a completion asks the notifier that the words so far name`() throws {
        let input = NameCompletion.input([
            "uploadctl", "jobs", "--api", "http://a.example", "--config=x.yaml", "--queue",
        ])
        #expect(input.file == "x.yaml")
        #expect(input.commandLine["api"]?.value == .text("http://a.example"))
        #expect(input.commandLine["notifier.token"] == nil)
    }
}
