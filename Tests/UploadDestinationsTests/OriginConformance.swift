import Foundation
import Testing
import UploadSources
import UploadTesting
import Uploads

/// The rules for every destination from which jobs may read, tested against a real server or directory.
struct OriginConformance: Sendable {
    let conformance: DestinationConformance
    /// Stores bytes under a key without the driver.
    let put: @Sendable (_ key: String, _ bytes: [UInt8]) async throws -> Void
    let remove: @Sendable (_ key: String) async throws -> Void

    private struct Provider: DestinationProvider {
        let make: @Sendable () throws -> any Destination

        func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
            guard case .named(let name, _) = reference, name.rawValue == "unknown" else {
                do { return try make() } catch { throw UploadError(.misconfigured, "\(error)") }
            }
            return nil
        }

        func origin(for reference: DestinationReference) throws(UploadError) -> (any OriginDestination)? {
            try readable(reference)
        }
    }

    private var sources: ObjectSources {
        ObjectSources(
            beside: LocalSources(areas: [], roots: []), at: Provider(make: conformance.destination))
    }

    private func job(_ key: String, to destination: DestinationReference? = nil) throws -> UploadJob {
        UploadJob(
            source: .object(try conformance.reference(key), seen: nil),
            destination: destination ?? .url("file:///nowhere"), size: 0)
    }

    func examined(_ key: String, to destination: DestinationReference? = nil) async throws -> UploadJob {
        guard case .found(let job) = try await sources.examine(job(key, to: destination)) else {
            throw UploadError(.invalidFile, "\(key) was not found")
        }
        return job
    }

    func source(_ job: UploadJob) async throws -> any UploadSource {
        guard case .claimed(let source) = try await sources.claim(job) else {
            throw UploadError(.invalidFile, "the source cannot be claimed")
        }
        return source
    }

    private func read(_ source: any UploadSource, _ range: Range<Int64>) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await buffer in source.read(range) { bytes += buffer.bytes }
        return bytes
    }

    func objectsAreCarried() async throws {
        for size in [0, 1, 3 << 20 | 7] {
            let bytes = DestinationConformance.bytes(size, seed: 3)
            try await put("from/\(size) ü", bytes)
            let job = try await examined("from/\(size) ü")
            #expect(job.size == Int64(size))
            let source = try await source(job)
            #expect(try await read(source, 0..<Int64(size)) == bytes)
            if size > 1 {
                for range in [0..<1, 5..<(1 << 20), (2 << 20)..<Int64(size)] as [Range<Int64>] {
                    let part = Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
                    #expect(try await read(source, range) == part, "\(range)")
                }
            }
            try await source.verifyUnchanged()
            await source.close()
        }
    }

    /// - Parameter isGone: whether the object is removed instead of replaced.
    private func change(_ isGone: Bool) async throws {
        try await put("changed", DestinationConformance.bytes(2 << 20, seed: 1))
        let job = try await examined("changed")
        let source = try await source(job)
        _ = try await read(source, 0..<(1 << 20))
        if isGone {
            try await remove("changed")
        } else {
            // A server's time may have whole seconds only; so the new object also has another size.
            try await put("changed", DestinationConformance.bytes((2 << 20) + 1, seed: 2))
        }
        let reading = await #expect(throws: UploadError.self) { _ = try await read(source, (1 << 20)..<(2 << 20)) }
        #expect(reading?.code == .sourceChanged && reading?.retry == .never, "\(reading as Any)")
        let looking = await #expect(throws: UploadError.self) { try await lookAgain(source) }
        #expect(looking?.code == .sourceChanged, "\(looking as Any)")
        await source.close()
    }

    /// Tries again, as a worker does, when a server closes the connection of the question.
    private func lookAgain(_ source: any UploadSource) async throws {
        for _ in 0..<5 {
            do throws(UploadError) { return try await source.verifyUnchanged() } catch {
                guard error.code == .networkFailure else { throw error }
            }
        }
    }

    func whatChangesIsNotCarried() async throws {
        try await change(false)
        try await change(true)
    }

    func whatIsNotThereIsTold() async throws {
        #expect(try await sources.examine(job("from/nothing")) == .gone)
        var unknown = try job("x")
        unknown.source = .object(.named(DestinationName(unchecked: "unknown"), key: "x"), seen: nil)
        #expect(try await sources.examine(unknown) == .unknownOrigin("unknown"))
    }

    /// When the reader stops, nothing goes on reading in the background.
    func readingStopsWhenNobodyTakes() async throws {
        try await put("stopped", DestinationConformance.bytes(8 << 20))
        let source = try await source(examined("stopped"))
        var count = 0
        for try await buffer in source.read(0..<(8 << 20)) {
            count += buffer.count
            break
        }
        #expect(count > 0 && count < 8 << 20)
        await source.close()
    }

    func allRules() async throws {
        try await objectsAreCarried()
        try await whatIsNotThereIsTold()
        try await whatChangesIsNotCarried()
        try await readingStopsWhenNobodyTakes()
    }
}
