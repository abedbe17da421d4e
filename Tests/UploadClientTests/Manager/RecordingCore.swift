import Logging
import UploadSources
import Uploads

@testable import UploadClient

/// Runs a test with a manager core over a recording backend, and closes the core in any case.
func withRecordingCore(
    _ identifier: UploadIdentifier, in directory: String,
    _ test: (ManagerCore, RecordingBackend) async throws -> Void
) async throws {
    let area = try await StagingArea.open(at: directory)
    let backend = try await RecordingBackend(identifier, area: area)
    let core = try await ManagerCore(
        identifier: identifier, area: area, backend: backend, logger: Logger(label: "test"))
    await core.begin()
    await backend.waitUntilRunning()
    do {
        try await test(core, backend)
    } catch {
        await core.close()
        throw error
    }
    await core.close()
}
