import Foundation
import Synchronization
import Uploads

/// Appends bytes to one upload, by one request at a time. Positions are positions in the file.
final class TusStream: Sendable {
    let upload: TusUpload
    private let progress: Mutex<Progress>

    private struct Progress {
        /// The position up to which the server was last known to hold the file.
        var reached: Int64
        /// Whether a request ended and its answer did not state the new position.
        var isDoubtful = false
        var response: ServerResponse?
    }

    init(_ upload: TusUpload, reached: Int64, response: ServerResponse? = nil) {
        self.upload = upload
        progress = Mutex(Progress(reached: reached, response: response))
    }

    /// The position up to which the server holds the file, as far as known.
    var reached: Int64 { progress.withLock { $0.reached } }
    /// The server's last answer.
    var response: ServerResponse? { progress.withLock { $0.response } }

    /// Sends the bytes up to a position that the server does not hold yet, in requests of at most the configured part each.
    func bring(
        to end: Int64, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        var standstills = Standstills()
        var pauses = upload.client.configuration.lockedPauseSeconds[...]
        while true {
            // If the server has lost bytes in the meantime, this part sends them again: no other part does.
            let start = try await settled()
            guard start < end else { return }
            standstills.note(reached: start)
            progress.withLock { $0.isDoubtful = true }
            let next = min(end, start.addingSaturating(upload.client.configuration.partBytes))
            switch try await upload.append(start..<next, from: source, sent: sent) {
            case .held(let held?, let response):
                progress.withLock { $0 = Progress(reached: held, response: response) }
                standstills.add()
            case .held(nil, let response):
                progress.withLock { $0.response = response }
                standstills.add()
            case .elsewhere(let reply):
                standstills.add()
                if standstills.isTooMany { throw upload.client.failure(reply, of: "PATCH", at: upload.url) }
            case .locked(let reply):
                guard let pause = pauses.popFirst() else {
                    throw upload.client.failure(reply, of: "PATCH", at: upload.url)
                }
                try await upload.client.rest(pause)
            }
            try standstills.check(upload.location)
        }
    }

    /// The position up to which the server holds the file. Asks the server if the position is in doubt.
    /// - Throws: `sessionExpired` when the upload is gone.
    func settled() async throws(UploadError) -> Int64 {
        let (reached, isDoubtful) = progress.withLock { ($0.reached, $0.isDoubtful) }
        guard isDoubtful else { return reached }
        guard let held = try await upload.held() else { throw upload.client.gone(upload.url) }
        progress.withLock { progress in
            progress.reached = held.reached
            progress.isDoubtful = false
        }
        return held.reached
    }
}
