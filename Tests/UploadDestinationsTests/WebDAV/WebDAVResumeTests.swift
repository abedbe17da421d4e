import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Steps between the PUT and the MOVE, and the remains of unfinished uploads.
@Suite(.timeLimit(.minutes(10)))
struct WebDAVResumeTests {
    typealias Kind = WebDAVServer.Kind

    @Test(arguments: Kind.allCases)
    func `another worker only moves what has arrived`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            for folder in [nil, ".unfinished/now"] {
                var configuration = bench.configuration
                configuration.temporaryFolder = folder
                let job = try bench.job(key: "a/\(folder ?? "")-file")
                let first = try await bench.destination(configuration).open(job, resuming: nil)
                try await bench.send(job, to: first)
                await first.close()
                let state = try #require(first.state)
                let name = try WebDAVTarget(job, configuration).temporaryName
                #expect(bench.names(in: folder ?? "a").contains(name))
                let probed = try await bench.destination(configuration).probe(job, state: nil)
                guard case .partial(let found, beside: nil) = probed, let found = WebDAVState(found) else {
                    Issue.record("what has arrived is not told: \(probed)")
                    return
                }
                #expect(found.file == name)
                // Apache gives a file a weak ETag in the first second of its life.
                let known = try #require(WebDAVState(state))
                #expect(found.etag == known.etag || WebDAVResource.isSame(found.etag, known.etag))
                bench.proxy.forget()
                let second = try await bench.destination(configuration).open(job, resuming: state)
                #expect(second.missing.isEmpty)
                let completed = try await second.complete(.absent)
                #expect(bench.stored("a/\(folder ?? "")-file") == DestinationConformance.bytes(100_000))
                #expect(completed.object.digests.confirms(job.digests))
                #expect(!bench.methods.contains("PUT"))
                let third = await #expect(throws: UploadError.self) {
                    try await bench.destination(configuration).open(job, resuming: state)
                }
                #expect(third?.code == .sessionExpired)
                try bench.server.remove("\(bench.folder)/a")
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a discarded upload leaves nothing, and a finished one stays`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            let state = try #require(session.state)
            for _ in 0..<2 { try await bench.destination().discard(state, of: job) }
            #expect(bench.names() == [])
            #expect(try await bench.destination().probe(job, state: state) == .nothing)
            let gone = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(gone?.code == .sessionExpired)
            try await bench.conformance().carry(job)
            try await bench.destination().discard(state, of: job)
            #expect(bench.names() == ["file"])
        }
    }

    @Test func `whatever a state names, only the job's own file is touched`() async throws {
        try await WebDAVBench.with(.nginx) { bench in
            try bench.server.put([1], at: "\(bench.folder)/precious")
            let job = try bench.job()
            let state = UploadState(driver: "webdav", payload: ["file": "precious", "etag": "\"x\""])
            try await bench.destination().discard(state, of: job)
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().open(job, resuming: state)
            }
            #expect(error?.code == .sessionExpired)
            #expect(try await bench.destination().probe(job, state: state) == .nothing)
            #expect(bench.stored("precious") == [1])
            #expect(bench.proxy.requests.allSatisfy { !$0.target.contains("precious") })
        }
    }

    @Test(arguments: [Kind.rclone, .wsgidav, .apache])
    func `an unfinished upload is found in the temporary folder, and removed`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            var configuration = bench.configuration
            configuration.temporaryFolder = "not yet/whole"
            let destination = try bench.destination(configuration)
            #expect(destination.canBeSwept)
            #expect(try await destination.unfinished(startedBefore: Date()).isEmpty, "no such folder yet")
            let jobs = try (0..<3).map { try bench.job(1000 + $0, key: "deep/name & \($0)") }
            var states: [UploadState] = []
            for job in jobs {
                let session = try await destination.open(job, resuming: nil)
                try await bench.send(job, to: session)
                states.append(try #require(session.state))
            }
            let ids = states.map { destination.sessionID(of: $0) }
            #expect(destination.sessionID(of: UploadState(driver: "s3", payload: ["file": "x"])) == nil)
            try bench.server.put([1], at: "\(bench.folder)/not yet/whole/somebody's own")
            for (index, id) in ids.prefix(2).enumerated() {
                let path = "\(bench.folder)/not yet/whole/\(try #require(id))"
                try bench.server.setAge(of: path, seconds: TimeInterval(7200 + 3600 * index))
            }
            let found = try await destination.unfinished(startedBefore: Date(timeIntervalSinceNow: -3600))
            #expect(found.map(\.sessionID) == [ids[1], ids[0]], "the oldest first, and none that is young")
            #expect(found.map(\.job) == [jobs[1].id, jobs[0].id])
            #expect(found.map(\.bytes) == [1001, 1000])
            #expect(found.map(\.key) == ["name & 1", "name & 0"])
            for upload in found + found { try await destination.discard(upload) }
            #expect(bench.names(in: "not yet/whole").count == 2)
            var foreign = try #require(found.first)
            foreign.sessionID = "somebody's own"
            try await destination.discard(foreign)
            #expect(bench.stored("not yet/whole/somebody's own") == [1])
            // The remaining upload is continued.
            let last = try await destination.open(jobs[2], resuming: states[2])
            _ = try await last.complete(.none)
            #expect(bench.stored("deep/name & 2")?.count == 1002)
        }
    }

    @Test func `where nothing can be listed, that is said`() async throws {
        try await WebDAVBench.with(.nginx) { bench in
            let destination = try bench.destination()
            #expect(!destination.canBeSwept)
            let beside = await #expect(throws: UploadError.self) {
                try await bench.destination().unfinished(startedBefore: Date())
            }
            #expect(beside?.code == .misconfigured && beside?.message.contains("temporaryFolder") == true)
            var configuration = bench.configuration
            configuration.temporaryFolder = ".unfinished"
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination(configuration).unfinished(startedBefore: Date())
            }
            #expect(error?.code == .rejected && error?.message.contains("PROPFIND") == true)
        }
    }
}
