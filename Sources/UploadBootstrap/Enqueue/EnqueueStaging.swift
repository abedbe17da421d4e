import Logging
import Synchronization
import UploadEmbedded
import UploadSources
import Uploads

/// What an enqueueing program opens for its copies, its outbox and its keys.
final class EnqueueStaging: Sendable {
    private struct Opened: Sendable {
        let destinations: DestinationRegistry
        var stager: DestinationStager?
    }

    private let configuration: UploadConfiguration
    private let logger: Logger
    private let opened = Mutex<Opened?>(nil)

    init(_ configuration: UploadConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// The directory with the outbox and the keys, which is made if it is missing.
    func spool() async throws(UploadError) -> StagingArea {
        let area = try await StagingArea.open(at: configuration.spool, group: configuration.stagingGroup)
        if configuration.staging.directory == nil { await area.sweepSpool() }
        return area
    }

    /// Where copies go. Called once.
    func copies(_ spool: StagingArea) throws -> (any CopyStore)? {
        switch configuration.staging {
        case .directory: return spool
        case .none: return nil
        case .destination(let place): return try stager(at: place, spool)
        }
    }

    private func stager(at place: DestinationArea.Place, _ spool: StagingArea) throws -> DestinationStager {
        // This host may lack the secrets of other destinations.
        let refusal = Mutex<ProgramError?>(nil)
        let destinations = try DestinationRegistry(configuration) { name, error in
            if name == place.destination { refusal.withLock { $0 = error } }
        }
        opened.withLock { $0 = Opened(destinations: destinations) }
        if let refusal = refusal.withLock({ $0 }) { throw refusal }
        let told = Mutex<String?>(nil)
        let stager = DestinationStager(
            at: place, of: destinations, spool: spool,
            needsSHA256: configuration.needsSHA256(at: place.destination), logger: logger
        ) { error in
            let isNew = told.withLock { told in
                defer { told = error.message }
                return told != error.message
            }
            if isNew {
                Console.error(line: "enqueue-upload: the staging area \(place) is waited for: \(error.message)")
            }
        }
        opened.withLock { $0?.stager = stager }
        return stager
    }

    /// Closes the connections. Copies under way stop where they are.
    func close() async {
        let opened = self.opened.withLock { opened in
            defer { opened = nil }
            return opened
        }
        await opened?.stager?.close()
        try? await opened?.destinations.shutdown()
    }
}
