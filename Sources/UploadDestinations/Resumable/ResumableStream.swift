import Foundation
import Synchronization
import Uploads

/// Appends bytes to one upload, by one request at a time.
final class ResumableStream: Sendable {
    let upload: ResumableUpload
    /// The most bytes of one request.
    private let partBytes: Int64
    private let progress: Mutex<Progress>

    private struct Progress {
        /// The position up to which the server was last known to hold the file.
        var reached: Int64
        /// Whether a request ended and its answer did not state the new position.
        var isDoubtful = false
        /// The result of the whole upload, once it is known.
        var completed: CompletedUpload?
        /// Whether the server had the whole file and refused it.
        var isSpent = false
        var limit = ResumableUploadLimit()
        /// When the server removes the upload.
        var expiry: Date?
    }

    init(_ upload: ResumableUpload, partBytes: Int64, reached: Int64 = 0, _ limit: ResumableUploadLimit?) {
        self.upload = upload
        self.partBytes = partBytes
        progress = Mutex(Progress(reached: reached))
        note(limit)
    }

    convenience init(_ upload: ResumableUpload, partBytes: Int64, _ held: ResumableUpload.HeldBytes) {
        self.init(upload, partBytes: partBytes, reached: held.reached, held.limit)
        if held.isComplete { finish(held.reply) }
    }

    /// The position up to which the server holds the file, as far as known.
    var reached: Int64 { progress.withLock { $0.reached } }
    var expiry: Date? { progress.withLock { $0.expiry } }

    /// Sends the bytes up to a position that the server does not hold yet.
    func bring(
        to end: Int64, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        var standstills = Standstills()
        while true {
            // If the server has lost bytes in the meantime, this part sends them again: no other part does.
            let start = try await settled()
            guard start < end else { return }
            standstills.note(reached: start)
            standstills.add()
            try await step(start..<next(after: start, end), from: source, standstills, sent: sent)
        }
    }

    /// The result of the upload. If the server holds every byte but does not know that the upload is complete, an empty last part says so.
    /// - Throws: `invalidResponse` when bytes are missing.
    func completed() async throws(UploadError) -> CompletedUpload {
        var standstills = Standstills()
        while true {
            let reached = try await settled()
            if let completed = progress.withLock({ $0.completed }) { return completed }
            guard reached == upload.size else { throw upload.incomplete(reached) }
            standstills.add()
            try await step(reached..<reached, from: nil, standstills) { _ in }
        }
    }

    private func step(
        _ bytes: Range<Int64>, from source: (any UploadSource)?, _ standstills: Standstills,
        sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        progress.withLock { $0.isDoubtful = true }
        switch try await upload.append(bytes, from: source, sent: sent) {
        case .held(let held, let reply):
            note(ResumableUploadLimit(reply))
            // Draft -06 and later: the answer to a part need not state the offset.
            let isAll = held == nil && bytes.upperBound < upload.size
            if let held = held ?? (isAll ? bytes.upperBound : nil) {
                progress.withLock { progress in
                    progress.reached = held
                    progress.isDoubtful = false
                }
            }
        case .complete(let reply): finish(reply)
        case .unsure(let reply):
            // If the upload is already gone, the server forgot it because it was complete.
            guard let held = try await upload.held() else { return finish(reply) }
            if held.isComplete { return finish(reply) }
        case .failed(let error):
            progress.withLock { $0.isSpent = true }
            throw error
        case .elsewhere(let reply):
            if standstills.isTooMany { throw upload.client.failure(reply, of: "PATCH", at: upload.url) }
        }
        try standstills.check(upload.location)
    }

    /// The end of a request that begins at a position: the end of the part, unless the server's limits ask for fewer or more bytes.
    private func next(after start: Int64, _ end: Int64) -> Int64 {
        let limit = progress.withLock { $0.limit }
        let most = min(partBytes, limit.appendMaximum ?? .max)
        let usual = min(end, start.addingSaturating(most))
        // "Requests completing the upload … are exempt from this limit."
        return max(usual, min(upload.size, start.addingSaturating(min(limit.appendMinimum ?? 0, most))))
    }

    /// The position up to which the server holds the file. Asks the server if the position is in doubt.
    /// - Throws: `sessionExpired` when the upload is gone.
    private func settled() async throws(UploadError) -> Int64 {
        let (reached, isDoubtful, isSpent) = progress.withLock { ($0.reached, $0.isDoubtful, $0.isSpent) }
        guard isDoubtful else { return reached }
        guard !isSpent, let held = try await upload.held() else { throw upload.client.gone(upload.url) }
        note(held.limit)
        if held.isComplete { finish(held.reply) }
        progress.withLock { progress in
            progress.reached = held.reached
            progress.isDoubtful = false
        }
        return held.reached
    }

    private func finish(_ reply: HTTPReply) {
        let response = upload.client.shown(reply, of: upload.url)
        let object = upload.target.object(reply, at: upload.url, response)
        progress.withLock { progress in
            progress.completed = CompletedUpload(object, response: response)
            progress.reached = upload.size
            progress.isDoubtful = false
        }
    }

    private func note(_ limit: ResumableUploadLimit?) {
        guard let limit else { return }
        progress.withLock { progress in
            progress.limit = limit
            progress.expiry = limit.ageSeconds.map { Date() + TimeInterval($0) }
        }
    }
}
