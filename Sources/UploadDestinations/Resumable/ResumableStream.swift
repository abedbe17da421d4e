import Foundation
import Synchronization
import Uploads

/// One upload as it grows: bytes are added at its end only, by one request at a time.
final class ResumableStream: Sendable {
    let upload: ResumableUpload
    /// Most bytes of one request.
    private let partBytes: Int64
    private let progress: Mutex<Progress>

    private struct Progress {
        /// Up to where the server was last known to hold the file.
        var reached: Int64
        /// Whether a request has ended without its saying up to where now.
        var isDoubtful = false
        /// What came of the whole upload.
        var completed: CompletedUpload?
        /// Whether the server had the file and did not take it.
        var isSpent = false
        var limit = ResumableUploadLimit()
        /// From then on the upload is gone.
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

    /// As far as it is known.
    var reached: Int64 { progress.withLock { $0.reached } }
    var expiry: Date? { progress.withLock { $0.expiry } }

    /// Sends what the server does not hold of the file up to a position.
    func bring(
        to end: Int64, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        var standstills = Standstills()
        while true {
            // What the server has lost in the meantime goes with the part: there is no other way to bring it.
            let start = try await settled()
            guard start < end else { return }
            standstills.note(reached: start)
            standstills.add()
            try await step(start..<next(after: start, end), from: source, standstills, sent: sent)
        }
    }

    /// What came of the upload. One that is held to the last byte and was not told so is told now.
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
            // Draft -06 and later: the answer to a part need not say the offset.
            let isAll = held == nil && bytes.upperBound < upload.size
            if let held = held ?? (isAll ? bytes.upperBound : nil) {
                progress.withLock { progress in
                    progress.reached = held
                    progress.isDoubtful = false
                }
            }
        case .complete(let reply): finish(reply)
        case .unsure(let reply):
            // A server that forgets what is complete at once has said enough.
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

    /// Where a request ends that begins at a position: at the end of the part, unless the server wants fewer bytes in one, or more.
    private func next(after start: Int64, _ end: Int64) -> Int64 {
        let limit = progress.withLock { $0.limit }
        let most = min(partBytes, limit.appendMaximum ?? .max)
        let usual = min(end, start.addingSaturating(most))
        // "Requests completing the upload … are exempt from this limit."
        return max(usual, min(upload.size, start.addingSaturating(min(limit.appendMinimum ?? 0, most))))
    }

    /// Up to where the server holds the file, asked of it where that is not certain.
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
