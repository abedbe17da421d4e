import Foundation
import Testing
import Uploads

@Suite struct TemplateTests {
    private func job(to destination: DestinationReference) throws -> UploadJob {
        var job = UploadJob(
            source: .inline(Data()), destination: destination, contentType: "image/jpeg", size: 7,
            metadata: ["album": "Grüße {1}"], enqueuedAt: Date(timeIntervalSince1970: 1_795_305_599))
        job.digests.sha256 = "ab12"
        job.batch = "nightly"
        return job
    }

    @Test(arguments: [
        ("plain", "plain"), ("{date}/{name}", "2026-11-21/cat.tar.gz"), ("{stem}.{ext}", "cat.tar.gz"), ("{ext}", "gz"),
        ("{key}", "2026/cat.tar.gz"), ("{{{name}}}", "{cat.tar.gz}"), ("{metadata.album}", "Grüße {1}"),
        ("{size} {contentType} {sha256} {batch} {queue}", "7 image/jpeg ab12 nightly default"), ("", ""),
    ])
    func `a template is filled with what the job says`(text: String, expected: String) throws {
        let photos = try DestinationName("photos")
        #expect(try JobTemplate(text).text(for: job(to: .named(photos, key: "2026/cat.tar.gz"))) == expected)
    }

    @Test func `of a URL the path is the key, without its query`() throws {
        let job = try job(to: .url("https://user:word@h/a%20b/c%C3%A4t.jpg?token=1"))
        #expect(try JobTemplate("{key} {name} {stem}").text(for: job) == "a b/cät.jpg cät.jpg cät")
    }

    @Test func `what a job lacks is told`() throws {
        let job = try job(to: .url("https://h/a"))
        let template = try JobTemplate("{metadata.title} {metadata.album} {md5}", more: ["md5"])
        #expect(template.text(for: job, more: ["md5": "x"]) == nil)
        let error = #expect(throws: UploadError.self) { try template.needed(for: job, more: ["md5": "x"]) }
        #expect(error?.code == .rejected)
        #expect(error?.message.contains("needs {metadata.title} of each job") == true)
    }

    @Test(arguments: [
        ("{nmae}", "no placeholder {nmae}"), ("{metadata.}", "no placeholder {metadata.}"),
        ("{name", "stands in braces"),
        ("name}", "stands in braces"), ("{}", "stands in braces"), ("{md5}", "no placeholder {md5}"),
    ])
    func `a template that is none is refused`(text: String, expected: String) {
        let error = #expect(throws: UploadError.self) { try JobTemplate(text) }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("a/b.txt", "b.txt", "b", "txt"), (".profile", ".profile", ".profile", ""), ("a.b/c", "c", "c", ""),
        ("", "", "", ""), ("x.", "x.", "x", ""),
    ])
    func `a file name has a stem and an extension`(path: String, name: String, stem: String, ext: String) {
        let file = FileName(path: path)
        #expect([file.name, file.stem, file.ext] == [name, stem, ext])
    }
}
