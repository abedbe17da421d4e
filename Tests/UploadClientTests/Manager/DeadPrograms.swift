import Foundation
import UploadSources
import UploadTesting
import Uploads

@testable import UploadClient

/// Simulates programs that are killed while they start uploads.
struct DeadPrograms {
    let area: StagingArea
    let store: ClientStore

    init(_ identifier: UploadIdentifier, in directory: String) async throws {
        area = try await StagingArea.open(at: directory)
        store = try await ClientStore.open(identifier, in: area)
    }

    /// A program that noted these copies and died: its file exists, and is no longer locked.
    func program(staging copies: [ProgramCopy] = []) async throws -> String {
        let lock = try await store.lock()
        for copy in copies { await lock.add(copy) }
        return lock.token
    }

    /// A job whose bytes are staged.
    func stagedJob(to destination: String, _ bytes: [UInt8]) async throws -> UploadJob {
        let staged = try await area.stage(DataBuffers(data: Data(bytes)))
        try await area.synchronize()
        return UploadJob(
            source: staged.reference, destination: try DestinationReference(destination), size: staged.size,
            digests: staged.digests)
    }

    /// A job whose bytes are in the message, and missing in every record.
    func inlineJob(to destination: String) throws -> UploadJob {
        UploadJob(source: .inline(Data([1])), destination: try DestinationReference(destination), size: 1)
    }

    /// Writes the record of an upload whose program died before it recorded the acceptance.
    func leave(_ job: UploadJob, by token: String? = nil) async throws {
        var owner = token
        if owner == nil { owner = try await program() }
        var job = job
        job.client = "app"
        try await store.begin(ClientUpload(job: job, startedBy: owner ?? ""))
    }

    var copies: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: area.path).filter { name in
                UUID(uuidString: String(name.drop { $0 == "." }.prefix(36))) != nil
            }
        }
    }

    var programs: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: area.path + "/clients/app/programs") }
    }
}
