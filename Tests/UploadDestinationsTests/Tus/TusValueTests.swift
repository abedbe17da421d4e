import Foundation
import NIOHTTP1
import Testing
import Uploads

@testable import UploadDestinations

/// Tests without a server.
@Suite
struct TusValueTests {
    private let job = UploadJob(
        source: .inline(Data()), destination: .named(DestinationName(unchecked: "tus"), key: "k"),
        contentType: "image/png", size: 10)

    private func reply(_ status: Int, _ headers: [(String, String)]) -> HTTPReply {
        HTTPReply(status: status, headers: HTTPHeaders(headers), body: Data(), isWhole: true)
    }

    @Test func `metadata becomes the header of the specification`() throws {
        var metadata = TusMetadata(header: "")
        metadata.values = ["filename": "world_domination_plan.pdf", "is_confidential": ""]
        // The example of tus 1.0, "Creation".
        #expect(try metadata.header() == "filename d29ybGRfZG9taW5hdGlvbl9wbGFuLnBkZg==,is_confidential")
        #expect(try TusMetadata(header: metadata.header()) == metadata)
    }

    @Test func `what is said of a job is in it, and the job's own words go first, but for whose it is`() throws {
        var job = job
        job.metadata = ["filename": "mine.png", "longshore-job": "somebody", "note": "Ünïcode, with commas"]
        let metadata = try TusMetadata(job, key: "a/b/c.png")
        #expect(
            metadata.values == [
                "filename": "mine.png", "filetype": "image/png", "relativePath": "a/b/c.png",
                "note": "Ünïcode, with commas", "longshore-job": job.id.rawValue,
                "longshore-enqueued-at": WireJSON.timestamp(job.enqueuedAt),
            ])
        #expect(try TusMetadata(header: metadata.header()) == metadata)
        #expect(!metadata.contradicts(job))
        #expect(metadata.contradicts(self.job) == (job.id != self.job.id))
        #expect(try TusMetadata(self.job, key: "a/").values["filename"] == "a")
    }

    @Test(arguments: ["with space", "with,comma", "", "Grüße", "line\nbreak"])
    func `a name that the header cannot carry is refused`(name: String) {
        var job = job
        job.metadata = [name: "x"]
        let error = #expect(throws: UploadError.self) { try TusMetadata(job, key: "k") }
        #expect(error?.code == .rejected)
        #expect(error?.retry == .never)
    }

    @Test func `metadata has a bound`() throws {
        var job = job
        job.metadata = ["long": String(repeating: "x", count: 4000)]
        _ = try TusMetadata(job, key: "k").header()
        job.metadata = ["long": String(repeating: "x", count: 8000)]
        let error = #expect(throws: UploadError.self) { try TusMetadata(job, key: "k").header() }
        #expect(error?.code == .rejected)
    }

    @Test func `a header that is no metadata is read as far as it goes`() {
        #expect(TusMetadata(header: "a YQ==, b,c !!!,, d e f, g Zw==").values == ["a": "a", "b": "", "g": "g"])
    }

    @Test func `a server's own word is understood in all its forms`() {
        let capabilities = TusCapabilities(
            reply(
                200,
                [
                    ("Tus-Version", "1.0.0, 0.2.2"), ("Tus-Extension", "creation,Checksum"),
                    ("Tus-Extension", "termination"), ("Tus-Checksum-Algorithm", "md5, sha1,crc32"),
                    ("Tus-Max-Size", "1073741824"),
                ]))
        #expect(capabilities.versions == ["1.0.0", "0.2.2"])
        #expect(capabilities.extensions == ["creation", "checksum", "termination"])
        #expect(capabilities.checksum == .sha1)
        #expect(capabilities.sizeMaximum == 1 << 30)
        #expect(TusCapabilities(reply(200, [("Tus-Checksum-Algorithm", "sha1")])).checksum == nil)
        #expect(TusCapabilities(reply(403, [("Tus-Extension", "checksum"), ("Tus-Max-Size", "1")])).sizeMaximum == nil)
    }

    @Test func `versions and sizes that do not fit are refused`() throws {
        try TusCapabilities(reply(404, [])).check(job, at: "here")
        try TusCapabilities(reply(204, [("Tus-Max-Size", "10")])).check(job, at: "here")
        for headers in [[("Tus-Version", "0.2.2")], [("Tus-Max-Size", "9")]] {
            let error = #expect(throws: UploadError.self) {
                try TusCapabilities(reply(204, headers)).check(job, at: "here")
            }
            #expect(error?.code == .rejected)
        }
    }

    @Test(arguments: [
        TusState(.whole("https://h/files/1?token=2"), partBytes: 8 << 20),
        TusState(.partials(["https://h/files/1", "https://h/files/2?x"]), partBytes: 9),
    ])
    func `a state survives its trip`(state: TusState) throws {
        let wire = try WireJSON.encode(state.uploadState)
        #expect(try TusState(WireJSON.decode(UploadState.self, from: wire)) == state)
        #expect(!state.displayURL.contains("?"))
    }

    @Test(
        arguments: [
            [:], ["url": "https://h/1"], ["url": "", "partBytes": 1], ["url": "https://h/1", "partBytes": 0],
            ["partials": [], "partBytes": 1], ["partials": ["https://h/1", 2], "partBytes": 1],
            ["partials": ["https://h/1", ""], "partBytes": 1],
        ] as [JSONValue])
    func `a state that the driver cannot have written counts as expired`(payload: JSONValue) {
        let error = #expect(throws: UploadError.self) { try TusState(UploadState(driver: "tus", payload: payload)) }
        #expect(error?.code == .sessionExpired)
    }

    @Test func `a state says what of the file lies where, if it fits the file`() {
        let whole = TusState(.whole("a"), partBytes: 4).uploads(of: 10)
        #expect(whole?.map(\.url) == ["a"])
        #expect(whole?.map(\.range) == [0..<10])
        let parts = TusState(.partials(["a", "b", "c"]), partBytes: 4)
        #expect(parts.uploads(of: 10)?.map(\.url) == ["a", "b", "c"])
        #expect(parts.uploads(of: 10)?.map(\.range) == [0..<4, 4..<8, 8..<10])
        #expect(parts.uploads(of: 13) == nil)
    }

    @Test(arguments: [
        ("https://h/files/", "https://h/files/1", "https://h/files/1"), ("https://h/files/", "1", "https://h/files/1"),
        ("https://h/files", "/other/1?a=b#c", "https://h/other/1?a=b"),
        ("https://H:443/f", "https://h/1", "https://h/1"),
        ("http://h/f", "//h:80/1", "http://h:80/1"),
        ("https://h/files/", "https://files.example/1", "https://files.example/1"),
        ("https://h/files/", "http://h/1", nil), ("https://h/files/", "https://h:8443/1", nil),
        ("https://h/files/", "https://h.evil/1", nil), ("https://h/files/", "https://h@evil/1", nil),
        ("https://h/files/", "ftp://h/1", nil), ("https://h/files/", "file:///etc/passwd", nil),
    ])
    func `an upload lies at the server's origin or where it is allowed`(
        endpoint: String, location: String, expected: String?
    ) throws {
        let address = try UploadAddress(endpoint, others: ["https://files.example"])
        if let expected {
            #expect(try address.upload(at: location) == expected)
        } else {
            let error = #expect(throws: UploadError.self) { try address.upload(at: location) }
            #expect(error?.code == .misconfigured)
        }
    }

    @Test(arguments: ["files", "ftp://h/", "https:///x", ""])
    func `an endpoint that is no URL is refused`(url: String) {
        let error = #expect(throws: UploadError.self) { try UploadAddress(url, others: []) }
        #expect(error?.code == .misconfigured)
        #expect(throws: UploadError.self) { try UploadAddress("https://h/", others: [url]) }
    }

    @Test func `every status has a meaning, and a server that failed is asked again`() {
        for status in 100..<600 {
            let meaning = TusErrorTable.meaning(status)
            #expect(!meaning.remedy.isEmpty)
            if (500..<600).contains(status), ![501].contains(status) { #expect(meaning.retry == .afterBackoff) }
        }
    }

    @Test func `hexadecimal text becomes its bytes`() {
        #expect(Data(hexadecimal: "00ff7A") == Data([0, 255, 122]))
        #expect(Data(hexadecimal: "") == Data())
        #expect(Data(hexadecimal: "0") == nil)
        #expect(Data(hexadecimal: "xx") == nil)
    }
}
