import Foundation
import UploadTesting
import Uploads

@testable import UploadClient

extension SessionList {
    /// Lists a session with `count` files of 10 bytes.
    @discardableResult
    mutating func add(
        files count: Int = 1, at place: TransferPlace = .end, staysOpen: Bool = false
    ) throws -> UUID {
        let session = TransferSession(
            account: try TransferAccount("archive"), files: Self.files(count), staysOpen: staysOpen)
        save(session)
        _ = try enqueue(session.id, at: place)
        return session.id
    }

    static func files(_ count: Int) -> [TransferSession.File] {
        (0..<count).map {
            TransferSession.File(path: "\($0)", size: 10, contentType: "text/plain", content: "copy-\($0)")
        }
    }

    /// Lists a session of downloads.
    mutating func addDownloads(_ paths: String...) throws -> UUID {
        let files = try paths.map {
            TransferSession.File(try TransferDownload($0, to: "file:///srv/in/\($0)"))
        }
        let session = TransferSession(account: try TransferAccount("archive"), files: files, direction: .download)
        save(session)
        _ = try enqueue(session.id, at: .end)
        return session.id
    }

    /// Acts as if the broker had the session's jobs.
    mutating func handOver(_ id: UUID) {
        beginHandingOver(id, queue: .standard, namespace: "test")
        for job in self[id]?.openJobs ?? [] { accepted(job) }
    }

    mutating func kinds(_ job: JobID, _ state: TransferSession.File.State) -> [TransferQueueEvent.Kind] {
        hear(job, state).map(\.kind)
    }
}
