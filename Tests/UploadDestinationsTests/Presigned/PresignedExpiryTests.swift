import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// URLs that have really expired, at real stores.
@Suite(.timeLimit(.minutes(10)))
struct PresignedExpiryTests {
    @Test(arguments: PresignedBench.Store.allCases)
    func `a URL that has expired is asked for again, and the job is not failed`(
        store: PresignedBench.Store
    ) async throws {
        try await PresignedBench.with(store) { bench in
            bench.script { $0.signedAtSeconds = { $0 <= 2 ? -300 : 0 } }
            let job = try bench.job(300_000)
            let session = try await bench.destination().open(job, resuming: nil)
            let source = try await BridgeBench.source(of: job)
            for _ in 0..<2 {
                let error = await #expect(throws: UploadError.self) {
                    try await session.upload(session.missing[0], from: source) { _ in }
                }
                #expect(error?.retry == .afterBackoff)
                // If the server closes the connection early, its refusal may not arrive; then the driver tries the same URL.
                #expect([.accessDenied, .networkFailure].contains(error?.code))
                #expect(!BridgeBench.shown(error).contains("X-Amz-Signature"))
            }
            try await bench.send(job, to: session)
            _ = try await session.complete(.none)
            #expect(try await bench.stored("folder/file.txt") == DestinationConformance.bytes(300_000))
            #expect(bench.signings == 3)
        }
    }

    @Test func `a URL that expires between two tries of a part is not tried again`() async throws {
        try await PresignedBench.with { bench in
            bench.script {
                $0.goodForSeconds = 1
                $0.saidSeconds = 1
            }
            bench.proxy.setRule { $0.method == "PUT" && $0.number == 1 ? .cutAfterRequestBytes(100_000) : .forward }
            let job = try bench.job(1_000_000)
            let session = try await bench.destination().open(job, resuming: nil)
            let source = try await BridgeBench.source(of: job)
            let error = await #expect(throws: UploadError.self) {
                try await session.upload(session.missing[0], from: source) { _ in }
            }
            #expect(error?.code == .networkFailure)
            // Until the URL has expired, by its own time and by the store's clock, which counts whole seconds.
            try await Task.sleep(for: .seconds(2))
            bench.script { $0.goodForSeconds = 60 }
            try await session.upload(session.missing[0], from: source) { _ in }
            _ = try await session.complete(.none)
            #expect(bench.signings == 2)
            #expect(bench.puts == [nil, 200])
            #expect(try await bench.stored("folder/file.txt") == DestinationConformance.bytes(1_000_000))
        }
    }

    @Test func `a URL that expires while the bytes are on their way does no harm`() async throws {
        try await PresignedBench.with { bench in
            bench.script { $0.goodForSeconds = 1 }
            bench.proxy.setRule { $0.method == "PUT" ? .throttle(bytesPerSecond: 400_000) : .forward }
            let job = try bench.job(1_000_000)
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            _ = try await session.complete(.none)
            #expect(try await bench.stored("folder/file.txt") == DestinationConformance.bytes(1_000_000))
        }
    }

    @Test func `the clock of the endpoint may be wrong: what was just given is used once`() async throws {
        try await PresignedBench.with { bench in
            bench.script { $0.saidSeconds = -3600 }
            try await bench.conformance().carry(bench.job())
            #expect(bench.signings == 1)
        }
    }

    @Test func `after a kill the next worker asks for a URL of its own`() async throws {
        try await PresignedBench.with { bench in
            let job = try bench.job(500_000)
            bench.proxy.setRule { $0.method == "PUT" && $0.number == 1 ? .cutAfterRequestBytes(1000) : .forward }
            let killed = try await bench.destination().open(job, resuming: nil)
            await #expect(throws: UploadError.self) { try await bench.send(job, to: killed, tries: 1) }
            #expect(killed.state == nil)
            try await bench.conformance().carry(job, resuming: killed.state)
            #expect(bench.signings == 2 && bench.puts == [nil, 200])
        }
    }
}
