import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct OriginSourceTests {
    private let clock = ManualClock()

    private struct FailingSource: UploadSource {
        let size: Int64 = 10

        func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
            AsyncThrowingStream<any SourceBuffer, any Error> { continuation in
                continuation.yield([UInt8](repeating: 1, count: 5))
                continuation.finish(throwing: UploadError(.networkFailure, "lost: try again"))
            }
        }

        func verifyUnchanged() async throws(UploadError) {
            throw UploadError(.serverFailure, "down: try again")
        }

        func close() async {}
    }

    private func pace(_ limits: TransferLimits = TransferLimits()) -> TransferPace {
        TransferPace(clock: clock) { limits }
    }

    @Test(arguments: [true, false])
    func `errors of another place say that they are not the destination's`(isApart: Bool) async throws {
        let source = OriginSource(source: FailingSource(), pace: pace(), isUrgent: false, isApart: isApart)
        let reading = await #expect(throws: UploadError.self) {
            for try await buffer in source.read(0..<10) { #expect(buffer.count == 5) }
        }
        #expect(reading?.code == .networkFailure && reading?.isOfSource == isApart)
        let looking = await #expect(throws: UploadError.self) { try await source.verifyUnchanged() }
        #expect(looking?.code == .serverFailure && looking?.isOfSource == isApart)
    }

    @Test func `each reading waits for its turn, and no byte is faster than the limit`() async throws {
        let limits = TransferLimits(bytesPerSecond: 5, requestsPerSecond: 1)
        let source = OriginSource(source: FailingSource(), pace: pace(limits), isUrgent: false, isApart: true)
        let begun = Box(0)
        let reading = Task {
            for _ in 0..<3 {
                do {
                    for try await _ in source.read(0..<10) { begun.change { $0 += 1 } }
                } catch {}
            }
        }
        while begun.value < 15 {
            try await eventually { clock.sleeperCount > 0 || begun.value == 15 }
            clock.advance(by: .milliseconds(100))
        }
        await reading.value
        // The first second's requests and bytes pass at once.
        #expect(clock.now.offset >= .milliseconds(1900), "\(clock.now.offset)")
    }
}
