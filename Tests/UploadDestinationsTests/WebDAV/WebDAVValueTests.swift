import Foundation
import NIOHTTP1
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Tests of names, and of documents as servers write them.
struct WebDAVValueTests {
    private func job(_ key: String) throws -> UploadJob {
        UploadJob(
            source: .inline(Data()), destination: .named(try DestinationName("dav"), key: key), size: 0)
    }

    @Test func `an unfinished file lies beside its target under a hidden name, or where the configuration says`() throws
    {
        let job = try job("a/b c/ü.txt")
        var configuration = WebDAVConfiguration(url: "http://127.0.0.1/")
        let beside = try WebDAVTarget(job, configuration)
        #expect(beside.path == "a/b%20c/%C3%BC.txt")
        #expect(beside.temporaryName == ".ü.txt.longshore-\(job.id).part")
        #expect(beside.temporaryPath == "a/b%20c/.%C3%BC.txt.longshore-\(job.id).part")
        configuration.temporaryFolder = "to do/x"
        #expect(try WebDAVTarget(job, configuration).temporaryPath == "to%20do/x/.%C3%BC.txt.longshore-\(job.id).part")
        let known = try #require(WebDAVTarget.unfinished(beside.temporaryName))
        #expect(known.name == "ü.txt" && known.job == job.id)
        for name in [
            "ü.txt", ".x.longshore-.part", ".x.longshore-1.part", ".longshore-\(job.id).part",
            "x.longshore-\(job.id).part",
        ] {
            #expect(WebDAVTarget.unfinished(name) == nil, "\(name)")
        }
    }

    @Test func `a long name is shortened to a hash, so that all is within 255 bytes`() throws {
        let names = ["x", "y"].map { String(repeating: "ü", count: 127) + $0 }
        let targets = try names.map { try WebDAVTarget(job($0), WebDAVConfiguration(url: "http://127.0.0.1/")) }
        for target in targets {
            #expect(target.temporaryName.utf8.count <= 255)
            #expect(WebDAVTarget.unfinished(target.temporaryName)?.job == target.job.id)
        }
        #expect(targets[0].temporaryName.prefix(33) != targets[1].temporaryName.prefix(33))
    }

    @Test(arguments: [
        "http://127.0.0.1", "http://127.0.0.1/a", "ftp://127.0.0.1/", "http:///", "http://127.0.0.1/?a=b/", "nonsense",
    ])
    func `a url that is no folder's is refused`(url: String) throws {
        let error = #expect(throws: UploadError.self) { try WebDAVDestination(WebDAVConfiguration(url: url)) }
        #expect(error?.code == .misconfigured)
    }

    @Test(arguments: ["", "/a", "a/", "../a", "a//b"])
    func `a temporary folder elsewhere is refused`(folder: String) throws {
        let error = #expect(throws: UploadError.self) {
            try WebDAVDestination(WebDAVConfiguration(url: "http://127.0.0.1/", temporaryFolder: folder))
        }
        #expect(error?.code == .misconfigured && error?.message.contains("temporaryFolder") == true)
    }

    private func resources(_ body: String) throws -> [WebDAVResource?] {
        let reply = HTTPReply(status: 207, headers: HTTPHeaders(), body: Data(body.utf8), isWhole: true)
        return try reply.multistatus(of: "x").responses.map(WebDAVResource.init)
    }

    /// The example of RFC 4918, section 9.1.5, limited to the requested properties, with prefixes of several servers.
    @Test func `properties are read whatever the prefixes are, and only those that are there`() throws {
        let found = try resources(
            """
            <?xml version="1.0" encoding="utf-8" ?>
            <multistatus xmlns="DAV:" xmlns:z="longshore:">
              <response><href>/container/</href><propstat><prop><resourcetype><collection/></resourcetype></prop>
                <status>HTTP/1.1 200 OK</status></propstat>
                <propstat><prop><getetag/><getcontentlength/><z:job/></prop><status>HTTP/1.1 404 Not Found</status></propstat>
              </response>
              <response><href>http://h/container/a%20b&amp;c</href><propstat><prop><resourcetype/>
                <getcontentlength>4525</getcontentlength><getetag>zzyzx</getetag>
                <getlastmodified>Mon, 12 Jan 1998 09:25:56 GMT</getlastmodified>
                <z:job>j1</z:job><z:enqueuedAt>2026-11-22T08:00:00.000Z</z:enqueuedAt></prop>
                <status>HTTP/1.1 200 OK</status></propstat></response>
              <response><href>/gone</href><status>HTTP/1.1 404 Not Found</status></response>
            </multistatus>
            """)
        #expect(found.count == 3)
        let folder = try #require(found[0])
        #expect(folder.isFolder && folder.etag == nil && folder.mark == nil && folder.size == nil)
        let file = try #require(found[1])
        #expect(!file.isFolder && file.size == 4525 && file.etag == "\"zzyzx\"" && file.name == "a b&c")
        #expect(file.mark == JobMark(job: "j1", enqueuedAt: "2026-11-22T08:00:00.000Z"))
        #expect(file.modifiedAt == Date(timeIntervalSince1970: 884_597_156))
        #expect(found[2] == nil)
    }

    @Test(arguments: ["", "<html><body>Welcome</body></html", "{}"])
    func `what is no list is told`(body: String) {
        let error = #expect(throws: UploadError.self) { _ = try resources(body) }
        #expect(error?.code == .invalidResponse)
    }

    @Test func `tags are the same whether young or old, quoted or not`() {
        #expect(WebDAVResource.isSame("W/\"a\"", "\"a\""))
        #expect(WebDAVResource.isSame("a", "\"a\""))
        #expect(!WebDAVResource.isSame("\"a\"", "\"b\""))
        #expect(!WebDAVResource.isSame(nil, nil))
    }

    @Test func `a state is read as it was written, and another driver's is none`() {
        let state = WebDAVState(file: ".x", etag: "\"y\"")
        #expect(WebDAVState(state.uploadState) == state)
        #expect(WebDAVState(WebDAVState(file: ".x", etag: nil).uploadState)?.etag == nil)
        #expect(WebDAVState(UploadState(driver: "tus", payload: ["file": "x"])) == nil)
        #expect(WebDAVState(UploadState(driver: "webdav", payload: [:])) == nil)
    }
}
