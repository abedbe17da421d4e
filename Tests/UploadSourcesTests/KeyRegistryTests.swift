import Foundation
import Testing
import UploadSources
import UploadTesting
import Uploads

/// Jobs that are enqueued under an idempotency key.
@Suite(.timeLimit(.minutes(10))) struct KeyRegistryTests {
    private func job(_ source: SourceReference, size: Int64 = 0, digests: Digests = Digests()) -> UploadJob {
        var job = UploadJob(
            source: source, destination: .named(DestinationName(unchecked: "archive"), key: "a"), size: size,
            digests: digests)
        job.idempotencyKey = "order-17"
        job.id = JobID(namespace: "test", queue: .standard, idempotencyKey: "order-17")
        return job
    }

    private func withArea(_ body: (StagingArea) async throws -> Void) async throws {
        let scratch = try TemporaryDirectory()
        try await body(try await StagingArea.open(at: scratch.path("area")))
    }

    @Test func `an object under a key keeps its URL whole, and is that object`() async throws {
        try await withArea { area in
            let first = job(.object(.url("https://files.example/a?signature=hidden"), seen: nil))
            #expect(try await area.registered(first) == first)
            var again = job(.object(.url("https://files.example/a?signature=another"), seen: nil))
            again.enqueuedAt += 60
            let published = try await area.registered(again)
            #expect(published.source == again.source)
            #expect(abs(published.enqueuedAt.timeIntervalSince(first.enqueuedAt)) < 0.001)

            for other in [
                SourceReference.object(.url("https://files.example/b?signature=hidden"), seen: nil), .inline(Data()),
            ] {
                let error = await #expect(throws: UploadError.self) { _ = try await area.registered(job(other)) }
                #expect(error?.code == .rejected)
                #expect(error?.message.contains("https://files.example/a to archive:a") == true)
                #expect(error?.message.contains("hidden") == false)
            }
        }
    }

    @Test func `the copy of the first is taken, and the second's goes`() async throws {
        try await withArea { area in
            let bytes = Data(repeating: 7, count: 100_000)
            let one = try await area.stage(DataBuffers(data: bytes))
            let first = job(one.reference, size: one.size, digests: one.digests)
            #expect(try await area.registered(first) == first)
            let two = try await area.stage(DataBuffers(data: bytes))
            let second = try await area.registered(job(two.reference, size: two.size, digests: two.digests))
            #expect(second.source == one.reference)
            guard
                case .gone = try await LocalSources(areas: [area], roots: []).claim(job(two.reference, size: two.size))
            else {
                Issue.record("the second copy is still there")
                return
            }
        }
    }

    @Test func `the keys of a spool are removed once they are too old, at most once a day`() async throws {
        let scratch = try TemporaryDirectory()
        let area = try await StagingArea.open(at: scratch.path("spool"))
        _ = try await area.registered(job(.inline(Data())))
        let keys = try scratch.names(in: "spool/keys")
        #expect(keys.count == 1)
        let copy = try await area.stage(fileAt: scratch.write([UInt8](repeating: 1, count: 40_000), to: "file"))
        await area.sweepSpool()
        #expect(try scratch.names(in: "spool/keys") == keys, "it may be used again")
        let later = Date.now + 32 * 86_400
        await area.sweepSpool(now: later)
        #expect(try scratch.names(in: "spool/keys").isEmpty)
        #expect(try await area.leftovers(changedBefore: later).map(\.kind) == [.copy], "a copy is none of its business")
        try await area.remove(copy.reference)
        _ = try await area.registered(job(.inline(Data())))
        // The first call of the test has left a mark of today.
        await area.sweepSpool(now: .now + 3600)
        #expect(try scratch.names(in: "spool/keys") == keys)
    }

    @Test func `without a key nothing is registered`() async throws {
        try await withArea { area in
            var plain = job(.inline(Data()))
            plain.idempotencyKey = nil
            for _ in 0..<2 {
                let published = try await area.registered(plain)
                #expect(published == plain)
            }
        }
    }
}
