import Foundation
import UploadTesting
import Uploads

@testable import UploadClient

extension SessionList {
    /// Lists a session of so many files of 10 bytes.
    @discardableResult
    mutating func add(files count: Int = 1, at place: TransferPlace = .end) throws -> UUID {
        let files = (0..<count).map {
            TransferSession.File(path: "\($0)", size: 10, contentType: "text/plain", content: "copy-\($0)")
        }
        let session = TransferSession(account: try TransferAccount("archive"), files: files)
        save(session)
        _ = try enqueue(session.id, at: place)
        return session.id
    }

    /// As if the broker had its jobs.
    mutating func handOver(_ id: UUID) {
        beginHandingOver(id, queue: .standard, namespace: "test")
        for job in self[id]?.openJobs ?? [] { accepted(job) }
    }

    mutating func kinds(_ job: JobID, _ state: TransferSession.File.State) -> [TransferQueueEvent.Kind] {
        hear(job, state).map(\.kind)
    }
}
