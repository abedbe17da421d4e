import Foundation
import Testing

@testable import Uploads

@Suite struct UploadJobRenamedTests {
    private func job(_ destination: DestinationReference) -> UploadJob {
        UploadJob(
            source: .inline(Data()), destination: destination, size: 0,
            enqueuedAt: Date(timeIntervalSince1970: 1_795_305_599))
    }

    private func named(_ key: String) -> DestinationReference { .named(DestinationName(unchecked: "photos"), key: key) }

    private func places(_ first: UploadJob) -> [DestinationReference] {
        Array(sequence(first: first, next: \.renamed).dropFirst().map(\.destination))
    }

    @Test(arguments: [
        ("a/cat.jpg", "a/cat-1.jpg"), ("a.b/cat", "a.b/cat-1"), (".profile", ".profile-1"), ("x.tar.gz", "x.tar-1.gz"),
        ("2026-11.txt", "2026-11-1.txt"), ("dot.", "dot-1."), ("Grüße 1", "Grüße 1-1"),
        ("a/\u{301}cat.jpg", "a/\u{301}cat-1.jpg"), ("cat.\u{301}jpg", "cat-1.\u{301}jpg"),
    ])
    func `the number stands behind the stem`(key: String, next: String) {
        #expect(job(named(key)).renamed?.destination == named(next))
    }

    @Test func `eight numbers are tried, then a name that no other job has, and no more`() {
        let first = job(named("cat.jpg"))
        let last = "cat-\(first.id.rawValue.suffix(12)).jpg"
        #expect(places(first) == (1...8).map { named("cat-\($0).jpg") } + [named(last)])
        #expect(sequence(first: first, next: \.renamed).dropFirst().allSatisfy { $0.renamedFrom == named("cat.jpg") })
    }

    @Test func `a URL that is a credential is none to put a number in`() {
        #expect(job(.url("file:///srv/a.txt")).renamed?.destination == .url("file:///srv/a-1.txt"))
        #expect(job(.url("https://h/a.txt?signature=1")).renamed == nil)
        #expect(job(.url("https://user:word@h/a.txt")).renamed == nil)
    }

    @Test func `the ledger follows a job to its new place, and no event leads it back`() throws {
        let order = job(named("cat.jpg"))
        let moved = try #require(order.renamed)
        #expect(order.known(like: moved) == moved)
        #expect(moved.known(like: order) == moved)
        #expect(try WireJSON.decode(UploadJob.self, from: WireJSON.encode(moved)) == moved)
    }
}
