import ArgumentParser
import Foundation
import Testing
import Uploads
import UploadsAPI

@testable import UploadBootstrap

struct FailureChoiceTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func command(_ destination: String, _ arguments: [String]) throws -> String {
        let group = API.FailureGroup(
            destination: destination, error: "accessDenied", jobs: 2, firstEndedAt: now, lastEndedAt: now)
        return FailureChoice.command(for: group, try FailureChoice.parse(arguments).query(now: now))
    }

    @Test func `the line of a group runs the jobs of this group again, and no others`() throws {
        #expect(try command("photos", []) == "uploadctl run --again --destination photos --error accessDenied")
        let line = try command("https", ["--queue", "video", "--since", "2h"])
        #expect(
            line == "uploadctl run --again --destination https --error accessDenied --queue video "
                + "--ended-since \(WireJSON.timestamp(now - 7200))")
        // The line can be given as it is.
        let words = line.split(separator: " ").dropFirst(3).map(String.init)
        let order = try JobSelection.parse(words).commands(.runAgain, now: now)
        var filter = OrderFilter(queue: QueueName(unchecked: "video"), destination: "https")
        (filter.code, filter.endedSince) = (.accessDenied, now - 7200)
        #expect(order == [.matching(.runAgain, filter, atMost: nil)])
    }

    @Test func `a shell reads a destination's name as one word`() throws {
        let names = [
            "a b": "'a b'", "$(id)": "'$(id)'", "it's": #"'it'\''s'"#, "": "''", "https://host:1": "https://host:1",
        ]
        for (name, word) in names {
            #expect(try command(name, []) == "uploadctl run --again --destination \(word) --error accessDenied")
        }
    }

    @Test func `a time that is none is refused`() throws {
        #expect(throws: ProgramError.self) { try FailureChoice.parse(["--since", "soon"]).query() }
    }
}
