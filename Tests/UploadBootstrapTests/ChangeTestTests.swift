import Foundation
import Testing
import Uploads

@testable import UploadBootstrap

struct ChangeTestTests {
    private static let time = Date(timeIntervalSince1970: 1_700_000_000)

    private func object(
        size: Int64 = 5, modified: TimeInterval? = 0, _ writer: ListedObject.Writer
    ) -> ListedObject {
        ListedObject(key: "x", size: size, modifiedAt: modified.map { Self.time + $0 }, writer: writer)
    }

    private func finding(
        _ test: ChangeTest = .sizeAndTime, file: TimeInterval, _ object: ListedObject?
    ) -> ChangeTest.Finding {
        test.finding(size: 5, modifiedAt: Self.time + file, beside: object)
    }

    @Test(arguments: ChangeTest.allCases) func `what is missing is new, and another size a change`(test: ChangeTest) {
        #expect(finding(test, file: -100, nil) == .new)
        #expect(finding(test, file: -100, object(size: 4, .unmarked)) == .changed)
        #expect(finding(test, file: -100, object(size: 6, .job(enqueuedAt: Self.time))) == .changed)
    }

    /// A job may wait for days: its object is newer than a change that it lacks.
    @Test func `beside a job's object the time counts at which the job was enqueued`() {
        let late = object(modified: 86400, .job(enqueuedAt: Self.time))
        #expect(finding(file: -1, late) == .unchanged)
        #expect(finding(file: 1, late) == .changed)
        #expect(finding(file: -0.01, late) == .changed, "the kernel's clock lags")
        #expect(finding(file: -0.03, late) == .unchanged)
    }

    @Test func `beside another program's object its own time counts`() {
        #expect(finding(file: -1, object(.unmarked)) == .unchanged)
        #expect(finding(file: 1, object(.unmarked)) == .changed)
        #expect(finding(file: 0, object(.unmarked)) == .changed)
        #expect(finding(file: -1, object(modified: nil, .unmarked)) == .changed)
    }

    @Test func `where the list does not tell whose an object is, only a file that is newer needs no look`() {
        #expect(finding(file: -1, object(.unlisted)) == .open)
        #expect(finding(file: 1, object(.unlisted)) == .changed)
        #expect(finding(file: 1, object(modified: nil, .unlisted)) == .changed)
    }

    @Test func `digests are compared whatever the times say`() {
        for writer in [ListedObject.Writer.unlisted, .unmarked, .job(enqueuedAt: Self.time)] {
            #expect(finding(.digest, file: -100, object(writer)) == .open)
            #expect(finding(.digest, file: 100, object(writer)) == .open)
        }
    }
}
