import Foundation
import NIOHTTP1
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Names that a server may take for others: WsgiDAV cuts the `Destination` of a MOVE at `?` and `;`.
@Suite(.timeLimit(.minutes(10)))
struct WebDAVNameTests {
    typealias Kind = WebDAVServer.Kind

    /// Uploads a job with a driver of its own; nil when the server refuses it for good.
    private func carry(_ job: UploadJob, at bench: WebDAVBench) async throws -> CompletedUpload? {
        do {
            return try await bench.conformance().carry(job)
        } catch let error as UploadError {
            #expect(error.code == .rejected && error.retry == .never, "\(error)")
            #expect(error.message.contains("takes the name"), "\(error)")
            return nil
        }
    }

    @Test(arguments: Kind.allCases, ["?", ";", "keep?v=2", "keep;v=2", "a b#c&d=e%41+[x]"])
    func `a name is taken for what it is, or refused, and nothing else is touched`(kind: Kind, name: String)
        async throws
    {
        try await WebDAVBench.with(kind) { bench in
            let kept = DestinationConformance.bytes(50, seed: 3)
            try bench.server.put(kept, at: "\(bench.folder)/n/keep")
            try bench.server.put(kept, at: "\(bench.folder)/n/sub/deep")
            let job = try bench.job(key: "n/\(name)")
            let isTaken = try await carry(job, at: bench) != nil
            #expect(bench.stored("n/keep") == kept)
            #expect(bench.stored("n/sub/deep") == kept)
            #expect(bench.names(in: "n") == (["keep", "sub"] + (isTaken ? [name] : [])).sorted())
            if isTaken { #expect(bench.stored("n/\(name)") == DestinationConformance.bytes(100_000)) }
            #expect(isTaken || kind == .wsgidav, "only WsgiDAV cuts names")
            #expect(!isTaken || kind != .wsgidav || !name.contains { "?;".contains($0) }, "WsgiDAV cuts names")
        }
    }

    @Test func `what lies under the very name does not make it safe to overwrite`() async throws {
        try await WebDAVBench.with(.wsgidav) { bench in
            let kept = DestinationConformance.bytes(50, seed: 3)
            try bench.server.put(kept, at: "\(bench.folder)/keep")
            try bench.server.put(kept, at: "\(bench.folder)/keep?v=2")
            #expect(try await carry(bench.job(key: "keep?v=2"), at: bench) == nil)
            #expect(bench.stored("keep") == kept)
            #expect(bench.stored("keep?v=2") == kept)
            #expect(bench.names() == ["keep", "keep?v=2"])
        }
    }

    @Test func `after a refused condition nothing is overwritten that was not seen`() async throws {
        try await WebDAVBench.with(.wsgidav) { bench in
            // A server that claims for a plain name that a file exists there.
            bench.proxy.setRule {
                $0.method == "MOVE" && $0.header("overwrite") == "F" ? .answer(status: 412) : .forward
            }
            let taken = try await carry(bench.job(), at: bench)
            #expect(taken == nil)
            #expect(!bench.proxy.requests.contains { $0.request.header("overwrite") == "T" })
            #expect(bench.stored("file") == nil)
        }
    }

    @Test func `that a server takes names as they are is found out once`() async throws {
        try await WebDAVBench.with(.apache) { bench in
            let destination = try bench.destination()
            for name in ["a b", "b a"] {
                let job = try bench.job(key: name)
                let session = try await destination.open(job, resuming: nil)
                try await bench.send(job, to: session)
                _ = try await session.complete(.none)
            }
            #expect(bench.methods.filter { $0 == "MOVE" }.count == 4, "there, back, and each into its place")
            #expect(bench.names() == ["a b", "b a"])
        }
    }

    @Test(arguments: Kind.allCases, [1, 2])
    func `an attempt goes on where a trial was cut off`(kind: Kind, lost: Int) async throws {
        try await WebDAVBench.with(kind) { bench in
            let moves = Mutex(0)
            bench.proxy.setRule { request in
                guard request.method == "MOVE" else { return .forward }
                return moves.withLock { moves in
                    moves += 1
                    return moves == lost ? .forwardThenCut : .forward
                }
            }
            let job = try bench.job(key: "a b")
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.code == .networkFailure)
            #expect(bench.names().count == 1 && bench.names().first?.contains(".trial") == (lost == 1))
            // Another worker sends the file again: the file that the trial left is in its way.
            #expect(try await carry(job, at: bench) != nil)
            #expect(bench.names() == ["a b"])
            #expect(bench.stored("a b") == DestinationConformance.bytes(100_000))
        }
    }

    @Test func `what is discarded leaves no trial behind`() async throws {
        try await WebDAVBench.with(.apache) { bench in
            bench.proxy.setRule { $0.method == "MOVE" ? .forwardThenCut : .forward }
            let job = try bench.job(key: "a?b")
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            _ = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(bench.names().count == 1)
            try await bench.destination().discard(#require(session.state), of: job)
            #expect(bench.names() == [])
        }
    }

    @Test func `a server that decodes a name twice is found out before anything is put there`() async throws {
        try await WebDAVBench.with(.wsgidav) { bench in
            bench.proxy.setRule { request in
                guard request.method == "MOVE" else { return .forward }
                return .rewriteRequest { headers in
                    for index in headers.indices where headers[index].name.lowercased() == "destination" {
                        headers[index].value = headers[index].value.removingPercentEncoding ?? ""
                    }
                }
            }
            let taken = try await carry(bench.job(key: "n/a%41"), at: bench)
            #expect(taken == nil)
            #expect(bench.names(in: "n").filter { !$0.hasSuffix(".part") } == [], "it would have become aA")
            #expect(!bench.names(in: "n").contains { $0.hasPrefix(".trial") })
        }
    }
}
