import Foundation
import Testing
import UploadTesting

@testable import Uploads

/// Damages values of every kind that a message or the ledger holds. A trap would end the test process.
@Suite(.timeLimit(.minutes(600))) struct MessageFuzzTests {
    @Test func `what can be read can be written, and is read as the same`() throws {
        var fuzz = Fuzz(for: "values of messages")
        var readCount = 0
        for input in 0..<Fuzz.inputCount {
            let sample = fuzz.pick(FuzzSamples.all)
            let data = try sample.damaged(&fuzz)
            guard let write = try? sample.read(data) else { continue }
            readCount += 1
            let comment: Comment =
                "seed \(fuzz.seed), input \(input): \(String(decoding: data.prefix(2000), as: UTF8.self))"
            do {
                let first = try write()
                #expect(try sample.rewritten(first) == first, comment)
            } catch {
                Issue.record(error, comment)
            }
        }
        // Much of the damage must leave a readable value, or the test proves nothing.
        #expect(readCount > Fuzz.inputCount / 20)
    }

    @Test func `no message makes a rule trap, or write what cannot be read`() throws {
        var fuzz = Fuzz(for: "rules of messages")
        var world = FuzzWorld()
        for input in 0..<Fuzz.inputCount {
            try world.step(&fuzz)
            for (what, data) in world.written {
                #expect(
                    data.flatMap { try? what.rewritten($0) } != nil,
                    "seed \(fuzz.seed), input \(input): \(String(decoding: (data ?? Data()).prefix(2000), as: UTF8.self))"
                )
            }
        }
    }

    @Test func `a destination's word fits into a routing key, whatever its URL is`() {
        var fuzz = Fuzz(for: "destinations' words")
        for input in 0..<Fuzz.inputCount {
            let label = DestinationReference.url(fuzz.text() + fuzz.pick(["", "://", ":"]) + fuzz.text()).label
            #expect(
                (1...64).contains(label.utf8.count) && label.allSatisfy { $0.isASCII && $0 != "." && $0 != " " },
                "seed \(fuzz.seed), input \(input): \(label)")
        }
    }
}
