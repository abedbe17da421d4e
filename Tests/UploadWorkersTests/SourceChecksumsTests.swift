import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

/// The checksum of a source that is not known before it is sent.
@Suite(.timeLimit(.minutes(10))) struct SourceChecksumsTests {
    /// A source of which each slice reads ten bytes more.
    private final class Unread: UploadSource, SourceProvider {
        let size: Int64 = 30
        private let read = Mutex(FileChecksums())

        var checksums: FileChecksums? { read.withLock { $0 } }

        func claim(_ job: UploadJob) async throws(UploadError) -> SourceClaim {
            read.withLock { $0 = FileChecksums() }
            return .claimed(self)
        }

        func take(_ checksums: FileChecksums) {
            read.withLock { read in
                read = checksums
                read.insert(CRC64NVME(1), of: 10..<20)
            }
        }

        func readUnread() async throws(UploadError) {
            read.withLock { read in
                for range in read.unread(of: size) { read.insert(CRC64NVME(2), of: range) }
            }
        }

        func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
            read.withLock { $0.checksum(of: range) }
        }

        func removeStagedCopy(of job: UploadJob) async throws(UploadError) {}
        func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
            SourceBuffers { _ in nil }
        }
        func verifyUnchanged() async throws(UploadError) {}
        func close() async {}
    }

    @Test func `slices hand on what they have read, and the last one reads the rest and tells the checksum`()
        async throws
    {
        let bench = WorkerBench(WorkerConfiguration(concurrency: 1, parts: 1), sources: Unread()) { log in
            MemoryDestination(
                log: log,
                part: { _, part, sentBefore throws(UploadError) in
                    guard part.number == 2, sentBefore == 0 else { return }
                    throw UploadError(.serverFailure, "come back later", retry: .pause(seconds: 60))
                })
        }
        var baton = Baton(job: WorkerBench.job(size: 30))
        guard case .handOver(var state?) = await bench.worker.handle(Delivery(baton: baton, lane: .normal)).settlement
        else { throw DidNotHappen("a new session is handed over before its first part") }
        #expect(state.checksums.isEmpty)

        state.checksums.insert(CRC64NVME(7), of: 0..<10)
        baton.state = state
        baton.slice += 1
        guard
            case .wait(_, _, let handed?) =
                await bench.worker.handle(Delivery(baton: baton, lane: .normal)).settlement
        else { throw DidNotHappen("a slice waits when the destination asks for it") }
        var expected = state.checksums
        expected.insert(CRC64NVME(1), of: 10..<20)
        #expect(handed.checksums == expected)

        baton.state = handed
        baton.slice += 1
        guard
            case .ended(.completed(let object, _)) =
                await bench.worker.handle(Delivery(baton: baton, lane: .normal)).settlement
        else { throw DidNotHappen("the last slice completes the upload") }
        expected.insert(CRC64NVME(2), of: 20..<30)
        #expect(object.digests.crc64nvme == expected.checksum(of: 0..<30)?.hexadecimal)
    }
}
