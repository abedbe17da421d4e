import Foundation
import Testing

@testable import Uploads

@Suite struct JobIDTests {
    @Test func `an id is a UUID of version 7 and its variant`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let milliseconds = Int64.random(in: 0..<(1 << 48), using: &random)
            let id = JobID(now: Date(timeIntervalSince1970: Double(milliseconds) / 1000), using: &random)
            let bytes = try #require(UUID(uuidString: id.rawValue)).uuid
            #expect(bytes.6 >> 4 == 7)
            #expect(bytes.8 >> 6 == 0b10)
            let time = [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            #expect(abs(time - milliseconds) <= 1)
        }
    }

    @Test func `ids sort by time`() {
        var random = SeededGenerator(seed: 2)
        let ids = (0..<200).map { JobID(now: Date(timeIntervalSince1970: 1_800_000_000 + Double($0)), using: &random) }
        #expect(ids.shuffled(using: &random).sorted() == ids)
        #expect(Set(ids).count == 200)
    }

    @Test func `ids of one moment differ`() {
        let now = Date()
        #expect(Set((0..<1000).map { _ in JobID(now: now) }).count == 1000)
    }

    @Test(arguments: ["", "no", "01234567-89ab-7def-8123-456789abcde", "01234567-89ab-7def-8123-456789abcdeg"])
    func `what is no UUID is no id`(text: String) {
        #expect(JobID(text) == nil)
        #expect(throws: DecodingError.self) { try WireJSON.decode([JobID].self, from: WireJSON.encode([text])) }
    }

    @Test func `an id is lower case, and a key of a JSON object`() throws {
        let id = try #require(JobID("01234567-89AB-7DEF-8123-456789ABCDEF"))
        #expect(id.rawValue == "01234567-89ab-7def-8123-456789abcdef")
        let json = try WireJSON.encode([id: 3])
        #expect(String(decoding: json, as: UTF8.self) == #"{"01234567-89ab-7def-8123-456789abcdef":3}"#)
        #expect(try WireJSON.decode([JobID: Int].self, from: json) == [id: 3])
    }
}
