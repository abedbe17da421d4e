import Foundation
import Synchronization
import Uploads

/// An upload under way: bytes are added at its end only, by whoever holds its URL.
final class TusSession: UploadSession {
    let plan: PartPlan

    private let upload: TusUpload
    private let current: TusState
    private let progress: Mutex<Progress>

    private struct Progress {
        /// Bytes that the server was last known to hold.
        var offset: Int64
        /// Whether a request has ended without its saying how many it holds now.
        var isDoubtful = false
        var response: ServerResponse?
    }

    init(_ upload: TusUpload, _ state: TusState, holding offset: Int64, response: ServerResponse? = nil) {
        self.upload = upload
        current = state
        plan = PartPlan(size: upload.job.size, partSize: state.partBytes)
        progress = Mutex(Progress(offset: offset, response: response))
    }

    var state: UploadState? { current.uploadState }

    /// The part in which the server stopped begins where it stopped. Of an empty file nothing is missing once its upload is made.
    var missing: [Part] {
        let offset = progress.withLock { $0.offset }
        return plan.parts.filter { $0.range.upperBound > offset }
            .map { Part(number: $0.number, range: max(offset, $0.range.lowerBound)..<$0.range.upperBound) }
    }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        var standstills = 0
        var pauses = upload.client.configuration.lockedPauseSeconds[...]
        while true {
            let offset = try await settledOffset()
            // What the server has lost in the meantime goes with the part: there is no other way to bring it.
            guard offset < part.range.upperBound else { return }
            progress.withLock { $0.isDoubtful = true }
            switch try await upload.append(offset..<part.range.upperBound, from: source, sent: sent) {
            case .held(let held?, let response):
                progress.withLock { $0 = Progress(offset: held, response: response) }
                if held > offset { continue }
                standstills += 1
            case .held(nil, let response):
                progress.withLock { $0.response = response }
                standstills += 1
            case .elsewhere(let reply):
                standstills += 1
                if standstills > TusLimits.standstillsMaximum {
                    throw upload.client.failure(reply, of: "PATCH", at: upload.url)
                }
            case .locked(let reply):
                guard let pause = pauses.popFirst() else {
                    throw upload.client.failure(reply, of: "PATCH", at: upload.url)
                }
                try await upload.client.rest(pause)
            }
            guard standstills <= TusLimits.standstillsMaximum else {
                throw UploadError(
                    .invalidResponse, "\(upload.location) takes bytes and holds no more of them: look at the server",
                    retry: .afterBackoff)
            }
        }
    }

    /// Nothing could lie where the server makes a new place for each upload, so every condition holds.
    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        let offset = try await settledOffset()
        guard offset == plan.size else {
            throw UploadError(
                .invalidResponse, "\(upload.location) holds \(offset) of \(plan.size) bytes: the rest is sent again",
                retry: .afterBackoff)
        }
        return CompletedUpload(upload.object, response: progress.withLock { $0.response })
    }

    func close() async {}

    /// Bytes that the server holds, asked of it where that is not certain.
    /// - Throws: `sessionExpired` when the upload is gone.
    private func settledOffset() async throws(UploadError) -> Int64 {
        let (offset, isDoubtful) = progress.withLock { ($0.offset, $0.isDoubtful) }
        guard isDoubtful else { return offset }
        guard let standing = try await upload.standing() else { throw upload.client.gone(upload.url) }
        progress.withLock { progress in
            progress.offset = standing.offset
            progress.isDoubtful = false
        }
        return standing.offset
    }
}
