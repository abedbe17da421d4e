import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Parts as uploads of their own; tuspyserver puts them together and then removes them.
@Suite(.timeLimit(.minutes(10)))
struct TusConcatenationTests {
    private static let part = TusBench.partBytes

    private func run(_ body: (TusBench, TusConfiguration) async throws -> Void) async throws {
        try await TusBench.with { bench in
            var configuration = bench.configuration
            configuration.concatenates = true
            try await body(bench, configuration)
        }
    }

    private func partials(_ bench: TusBench, of job: UploadJob) throws -> [TusServer.Upload] {
        try bench.server.uploads().filter {
            $0.metadata["longshore-job"] == job.id.rawValue && $0.metadata["relativePath"] == nil
        }
    }

    @Test func `files of all edge sizes and odd names arrive`() async throws {
        try await run { bench, configuration in
            try await bench.conformance(configuration).edgeSizesArrive()
            try await bench.conformance(configuration).oddNamesArrive()
        }
    }

    @Test func `parts go at once and make one upload, of which nothing else remains`() async throws {
        try await run { bench, configuration in
            var configuration = configuration
            configuration.limits.parts = 3
            let destination = try bench.destination(configuration)
            #expect(destination.limits.parts == 3)
            let job = try bench.job(parts: 4.5)
            let session = try await destination.open(job, resuming: nil)
            #expect(session.missing.map(\.number) == [1, 2, 3, 4, 5])
            #expect(try partials(bench, of: job).count == 5)
            guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else { return }
            try await withThrowingTaskGroup(of: Void.self) { group in
                // In any order.
                for part in session.missing.reversed() {
                    group.addTask { try await session.upload(part, from: source) { _ in } }
                }
                try await group.waitForAll()
            }
            #expect(session.missing.isEmpty)
            #expect(try bench.server.stored("\(bench.folder)/file") == nil, "nothing is seen before it is whole")
            let completed = try await session.complete(.none)
            #expect(try await session.complete(.none) == completed)
            #expect(try bench.server.stored("\(bench.folder)/file") == DestinationConformance.bytes(Int(job.size)))
            #expect(try partials(bench, of: job).isEmpty)
            let upload = try #require(try bench.uploads().first)
            #expect(completed.object.location == bench.configuration.url + upload.id)
            #expect(completed.object.digests == job.digests)
        }
    }

    @Test func `another worker goes on in the middle of several parts`() async throws {
        try await run { bench, configuration in
            let job = try bench.job(parts: 4)
            let session = try await bench.destination(configuration).open(job, resuming: nil)
            let state = try #require(session.state)
            bench.proxy.setRule { $0.method == "PATCH" ? .cutAfterRequestBytes(700_000) : .forward }
            guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else { return }
            for number in [2, 3] {
                await #expect(throws: UploadError.self) {
                    try await session.upload(session.plan.part(number), from: source) { _ in }
                }
            }
            bench.proxy.setRule { _ in .forward }
            bench.proxy.forget()
            try await eventually("the server has counted what came") {
                try partials(bench, of: job).count { $0.offset > 0 } == 2
            }
            let held = try partials(bench, of: job).reduce(0) { $0 + $1.offset }
            #expect(try await bench.destination(configuration).probe(job, state: state) == .partial(state, beside: nil))
            // A worker that is configured without concatenation finishes the upload, too.
            for last in [configuration, bench.configuration] {
                let resumed = try await bench.destination(last).open(job, resuming: state)
                #expect(resumed.missing.reduce(0) { $0 + $1.size } == job.size - Int64(held))
                #expect(resumed.missing.map(\.number) == [1, 2, 3, 4])
            }
            let resumed = try await bench.destination().open(job, resuming: state)
            try await bench.send(of: job, to: resumed)
            _ = try await resumed.complete(.none)
            #expect(bench.bytesSent == Int(job.size) - held, "no byte went twice")
            #expect(try bench.server.stored("\(bench.folder)/file") == DestinationConformance.bytes(Int(job.size)))
        }
    }

    @Test func `an upload that was begun in one piece is finished in one piece`() async throws {
        try await run { bench, configuration in
            let job = try bench.job(parts: 3)
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(1, of: job, to: session)
            let resumed = try await bench.destination(configuration).open(job, resuming: session.state)
            // One part, so that no two requests meet at one upload; its requests still have the configured size.
            #expect(resumed.missing.map(\.range) == [Int64(Self.part)..<job.size])
            try await bench.send(of: job, to: resumed)
            _ = try await resumed.complete(.none)
            #expect(bench.offsetsSent == [0, Self.part, 2 * Self.part])
            #expect(try bench.server.stored("\(bench.folder)/file") == DestinationConformance.bytes(Int(job.size)))
        }
    }

    @Test func `a discarded upload leaves no part behind, and a lost part makes all of it anew`() async throws {
        try await run { bench, configuration in
            let job = try bench.job(parts: 3)
            let destination = try bench.destination(configuration)
            for isDiscarded in [true, false] {
                let session = try await destination.open(job, resuming: nil)
                let state = try #require(session.state)
                try await bench.send(2, of: job, to: session)
                if isDiscarded {
                    for _ in 1...2 { try await destination.discard(state, of: job) }
                    #expect(try partials(bench, of: job).isEmpty)
                } else {
                    try bench.server.remove(try #require(try partials(bench, of: job).last?.id))
                }
                #expect(try await destination.probe(job, state: state) == .nothing)
                let error = await #expect(throws: UploadError.self) { try await destination.open(job, resuming: state) }
                #expect(error?.code == .sessionExpired)
            }
        }
    }

    @Test func `a lost answer to the last request ends in a second upload, not in a failure`() async throws {
        try await run { bench, configuration in
            let job = try bench.job(parts: 2)
            let session = try await bench.destination(configuration).open(job, resuming: nil)
            try await bench.send(of: job, to: session)
            bench.proxy.setRule { $0.method == "POST" ? .forwardThenCut : .forward }
            var error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.code == .networkFailure)
            bench.proxy.setRule { _ in .forward }
            error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.code == .sessionExpired, "the server has removed the parts")
            try await bench.conformance(configuration).carry(job)
            #expect(try bench.uploads().map(\.isComplete) == [true, true])
        }
    }

    @Test func `parts that cannot all be made leave none, and a server that does not offer it is told`() async throws {
        try await run { bench, configuration in
            let job = try bench.job(parts: 4)
            bench.proxy.setRule { request in
                request.method == "POST" && request.number >= 4 ? .answer(status: 503) : .forward
            }
            var error = await #expect(throws: UploadError.self) {
                try await bench.destination(configuration).open(job, resuming: nil)
            }
            #expect(error?.code == .serverFailure)
            #expect(try partials(bench, of: job).isEmpty)
            bench.proxy.setRule { request in
                request.method == "OPTIONS" ? .rewriteAnswer { $0.setHeader("tus-extension", "creation") } : .forward
            }
            error = await #expect(throws: UploadError.self) {
                try await bench.destination(configuration).open(job, resuming: nil)
            }
            #expect(error?.code == .misconfigured)
            #expect(error?.message.contains("concatenation") == true)
        }
    }

    @Test(arguments: [404, 405, 429, 503])
    func `an answer to OPTIONS that says nothing fails no job for good, and is not remembered`(status: Int) async throws
    {
        try await run { bench, configuration in
            let destination = try bench.destination(configuration)
            bench.proxy.setRule { request in
                request.method == "OPTIONS" ? .answer(status: status) : .forward
            }
            let error = await #expect(throws: UploadError.self) {
                try await destination.open(bench.job(parts: 4), resuming: nil)
            }
            #expect(error?.retry != .never, "\(String(describing: error))")
            bench.proxy.setRule { _ in .forward }
            let session = try await destination.open(bench.job(parts: 4), resuming: nil)
            #expect(session.plan.count == 4)
        }
    }

    @Test func `however large the file, its state is small`() throws {
        let urls = (0..<TusLimits.partialsMaximum).map { number in
            "https://\(String(repeating: "u", count: TusLimits.partialURLBytesMaximum / 64 - 10))\(number)"
        }
        let state = TusState(.partials(urls), partBytes: .max).uploadState
        #expect(state.fitsMessages)
    }
}
