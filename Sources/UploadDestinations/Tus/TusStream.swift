import Foundation
import Synchronization
import Uploads

/// One upload as it grows: bytes are added at its end only, by one request at a time. Positions are those of the file.
final class TusStream: Sendable {
    let upload: TusUpload
    private let progress: Mutex<Progress>

    private struct Progress {
        /// Up to where the server was last known to hold the file.
        var reached: Int64
        /// Whether a request has ended without its saying up to where now.
        var isDoubtful = false
        var response: ServerResponse?
    }

    init(_ upload: TusUpload, reached: Int64, response: ServerResponse? = nil) {
        self.upload = upload
        progress = Mutex(Progress(reached: reached, response: response))
    }

    /// As far as it is known.
    var reached: Int64 { progress.withLock { $0.reached } }
    /// The server's last answer.
    var response: ServerResponse? { progress.withLock { $0.response } }

    /// Sends what the server does not hold of the file up to a position, in requests of at most the configured part each.
    func bring(
        to end: Int64, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        var standstills = Standstills()
        var pauses = upload.client.configuration.lockedPauseSeconds[...]
        while true {
            // What the server has lost in the meantime goes with the part: there is no other way to bring it.
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

    /// Up to where the server holds the file, asked of it where that is not certain.
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
