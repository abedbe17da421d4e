import Synchronization
import Testing
import UploadTesting
import Uploads

/// Jobs whose source object and destination are in one store.
struct CopyConformance: Sendable {
    let origin: OriginConformance
    /// The driver of the destination, as another worker would have it; nil: that of the origin.
    var destination: (@Sendable () throws -> any Destination)?

    struct Copied: Sendable {
        let upload: CompletedUpload
        /// Bytes that the worker sent.
        let bytesSent: Int
    }

    /// Copies an object to another key; another worker continues the upload after the first part.
    func copy(_ key: String, to other: String, condition: WriteCondition = .none) async throws -> Copied {
        let conformance = origin.conformance
        let make = destination ?? conformance.destination
        let job = try await origin.examined(key, to: try conformance.reference(other))
        let source = try await origin.source(job)
        let sent = Atomic<Int>(0)
        var session = try await make().open(job, resuming: nil)
        session.prepare(for: condition)
        if let first = session.missing.first {
            try await session.upload(first, from: source) { sent.add($0, ordering: .relaxed) }
        }
        if !session.missing.isEmpty {
            let state = try #require(session.state)
            await session.close()
            session = try await make().open(job, resuming: state)
            session.prepare(for: condition)
            try await session.verify(against: source)
            #expect(session.missing.count == session.plan.count - 1)
            for part in session.missing {
                try await session.upload(part, from: source) { sent.add($0, ordering: .relaxed) }
            }
        }
        try await source.verifyUnchanged()
        let upload = try await session.complete(condition)
        await session.close()
        await source.close()
        return Copied(upload: upload, bytesSent: sent.load(ordering: .relaxed))
    }

    /// Sizes below, at and above a part.
    /// - Parameter name: by default with characters that have to be escaped.
    func copiesArrive(
        named name: String = " ü+&%41", isOnServer: @Sendable (_ size: Int) -> Bool = { _ in true }
    ) async throws {
        let partBytes = origin.conformance.partBytes
        for size in [0, 1, partBytes, 2 * partBytes + 7] {
            let bytes = DestinationConformance.bytes(size, seed: 5)
            let (from, to) = ("from/\(size)\(name).bin", "to/\(size)\(name).bin")
            try await origin.put(from, bytes)
            let copied = try await copy(from, to: to, condition: .absent)
            #expect(try await origin.conformance.stored(to) == bytes, "\(size) bytes")
            #expect(copied.upload.object.size == Int64(size))
            #expect(copied.upload.object.isServerSideCopy == isOnServer(size), "\(size) bytes")
            #expect(copied.bytesSent == (isOnServer(size) ? 0 : size), "\(size) bytes")
            #expect(try await origin.conformance.stored(from) == bytes)
        }
    }

    /// The version that was seen first is copied, or none.
    func whatChangesIsNotCopied() async throws {
        let conformance = origin.conformance
        try await origin.put("changing", DestinationConformance.bytes(conformance.partBytes * 2, seed: 1))
        let job = try await origin.examined("changing", to: try conformance.reference("to/changing"))
        let source = try await origin.source(job)
        let session = try await (destination ?? conformance.destination)().open(job, resuming: nil)
        try await origin.put("changing", DestinationConformance.bytes(conformance.partBytes * 2 + 1, seed: 2))
        let error = await #expect(throws: UploadError.self) {
            for part in session.missing { try await session.upload(part, from: source) { _ in } }
            try await source.verifyUnchanged()
        }
        #expect(error?.code == .sourceChanged, "\(error as Any)")
        #expect(try await conformance.stored("to/changing") == nil)
        await session.close()
        await source.close()
    }
}
