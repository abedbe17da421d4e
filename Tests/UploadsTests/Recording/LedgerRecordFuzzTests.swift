import Foundation
import Testing
import UploadTesting

@testable import Uploads

/// Damaged records of the ledger's own: each is refused, or written again as it was read.
@Suite(.timeLimit(.minutes(600))) struct LedgerRecordFuzzTests {
    private static let samples: [FuzzSample] = {
        let baton = FuzzSamples.baton(of: FuzzSamples.job)
        let event = UploadEvent(kind: .completed, of: baton, at: FuzzSamples.time)
        let actions: [IssuingAction] = [
            .mark(IssueMarker(job: FuzzSamples.job.id, round: 1, generation: 2)),
            .issue(baton, lane: .urgent, maybeRepeated: false), .append(.fence([FuzzSamples.job.id: 4])),
            .outcome(event),
        ]
        var progress = OrderProgress(FuzzSamples.answer)
        progress.after = FuzzSamples.job.id
        return actions.compactMap { OwedRecord($0, source: event.id) }.map { FuzzSample($0) } + [FuzzSample(progress)]
    }()

    @Test func `what can be read can be written, and is read as the same`() throws {
        #expect(Self.samples.count == 5)
        var fuzz = Fuzz(for: "the ledger's own records")
        var readCount = 0
        for input in 0..<Fuzz.inputCount {
            let sample = fuzz.pick(Self.samples)
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
        #expect(readCount > Fuzz.inputCount / 20)
    }

    @Test func `counts of an order stay within what a message may carry`() {
        var progress = OrderProgress(OrderAnswer(order: UUID(), matched: WireLimits.countMaximum, done: 1))
        progress.add([OrderAnswer.Job(id: JobID())])
        #expect(progress.answer.matched == WireLimits.countMaximum && progress.answer.done == 2)
        progress.finish(count: .max)
        #expect(progress.answer.matched == WireLimits.countMaximum)
    }
}
