import Foundation
import Testing
import Uploads

@testable import UploadBootstrap

struct SortedIDsTests {
    @Test func `each id is greater than the one before, also of one moment and when the clock is set back`() {
        var ids = SortedIDs()
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var made = (0..<1500).map { _ in ids.next(now: now) }
        made += (0..<1500).map { _ in ids.next(now: now - 3600) }
        #expect(zip(made, made.dropFirst()).allSatisfy { $0 < $1 })
        #expect(made[0].rawValue.hasPrefix(JobID(now: now).rawValue.prefix(13)))
    }
}
