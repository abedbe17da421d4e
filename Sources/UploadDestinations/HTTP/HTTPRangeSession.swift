import Foundation
import Synchronization
import Uploads

/// Uploads a file in ranges, one after the other.
///
/// The state says up to which position the server holds the file, and the ETag of those bytes. While the ETag is the
/// same, the position is right. If the ETag differs, perhaps because a worker died in the middle of a range, the
/// session reads the stored bytes range by range, compares them, and sends only the ranges that differ: by length alone
/// another job's object could not be distinguished from this one's.
final class HTTPRangeSession: UploadSession {
    let plan: PartPlan

    private let ranges: HTTPRanges
    private let progress: Mutex<Progress>
    /// Whether another session began the upload.
    private let isResumed: Bool

    private struct Progress {
        var state: HTTPState
        /// The stored file, nil if there is none; outer nil: not asked for yet.
        var stored: HTTPRanges.StoredFile??
        /// The condition for the first range.
        var condition = WriteCondition.none
        /// Whether the session has removed the former file, because it was longer.
        var hasRemoved = false
    }

    /// Begins an upload. Nothing is sent or asked yet.
    init(_ ranges: HTTPRanges, _ state: HTTPState) {
        self.ranges = ranges
        isResumed = false
        plan = PartPlan(size: state.size, partSize: state.partBytes)
        progress = Mutex(Progress(state: state, stored: nil))
    }

    /// - Throws: `sessionExpired` when the stored file cannot be the file that was sent.
    init(_ ranges: HTTPRanges, resuming state: HTTPState) async throws(UploadError) {
        self.ranges = ranges
        isResumed = true
        plan = PartPlan(size: state.size, partSize: state.partBytes)
        let stored = try await ranges.stored()
        guard state.sent == 0 || stored.map({ (state.reached...state.size).contains($0.size) }) == true else {
            throw ranges.gone
        }
        var state = state
        state.sent = min(state.sent, stored?.size ?? 0)
        if state.tail?.range.upperBound != state.sent { state.tail = nil }
        if state.reached > 0, !state.matches(stored?.etag) { state.reached = 0 }
        progress = Mutex(Progress(state: state, stored: .some(stored)))
    }

    var state: UploadState? { progress.withLock { $0.state.uploadState } }

    /// Includes the parts that still have to be compared.
    var missing: [Part] { plan.missing(after: progress.withLock { $0.state.reached }) }

    /// Compared ranges count as long as the ETag stays the same. Where the server gives no ETag, each session compares anew from the
    /// beginning; then the bytes count that were sent and seen.
    var bytesHeld: Int64 { progress.withLock { $0.state.etag == nil ? $0.state.sent : $0.state.reached } }

    /// A resumed job that may replace the object continues its upload without a condition; any other job keeps to its condition.
    func prepare(for condition: WriteCondition) {
        guard !isResumed || ranges.target.job.ifExists != .replace else { return }
        progress.withLock { $0.condition = condition }
    }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        let end = part.range.upperBound
        while true {
            let (state, condition, hasRemoved) = progress.withLock { ($0.state, $0.condition, $0.hasRemoved) }
            guard state.reached < end else { return }
            let next = state.reached..<min(end, state.reached.addingSaturating(state.partBytes))
            let checksum = try await source.checksumReading(next)
            let before = try await settled()
            // The server would fill a gap with zeros.
            guard before?.size ?? 0 >= state.reached else { throw ranges.gone }
            if let before, before.size >= next.upperBound, before.size <= state.size, isResumed || state.reached > 0 {
                if try await ranges.holds(next, checksum) {
                    note(next, checksum, before)
                    continue
                }
                forget(after: next.lowerBound)
            }
            progress.withLock { $0.stored = nil }
            do throws(UploadError) {
                try await ranges.put(next, from: source, next.lowerBound == 0 ? condition : .none, sent)
            } catch  where hasRemoved && error.code == .preconditionFailed {
                throw stays(error.response)
            }
            guard let after = try await settled() else { throw ranges.gone }
            guard after.size >= next.upperBound else { throw tookForWhole(after) }
            if next.lowerBound == 0, after.size > max(next.upperBound, isResumed ? state.size : 0) {
                // The former file was longer, and its end is still there.
                guard !hasRemoved else { throw stays(after.response) }
                try await ranges.delete()
                forget(after: 0)
                progress.withLock { progress in
                    progress.hasRemoved = true
                    progress.stored = .some(nil)
                    // If another client stores a file in the meantime, the condition protects it.
                    progress.condition = .absent
                }
                continue
            }
            note(next, checksum, after)
        }
    }

    /// Repeating this only asks the server again.
    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        let state = progress.withLock { $0.state }
        guard let stored = try await ranges.stored(), stored.size == state.size, state.reached == state.size,
            state.etag == nil || state.matches(stored.etag)
        else { throw ranges.gone }
        return ranges.completed(stored)
    }

    func close() async {}

    private func note(_ range: Range<Int64>, _ checksum: CRC64NVME, _ stored: HTTPRanges.StoredFile) {
        progress.withLock { progress in
            progress.state.reached = range.upperBound
            progress.state.etag = stored.etag
            guard range.upperBound >= progress.state.sent else { return }
            progress.state.sent = range.upperBound
            progress.state.tail = HTTPState.Tail(range: range, checksum: checksum)
        }
    }

    /// The stored bytes from a position on differ from the sent ones.
    private func forget(after position: Int64) {
        progress.withLock { progress in
            guard progress.state.sent > position else { return }
            progress.state.sent = position
            progress.state.tail = nil
        }
    }

    private func settled() async throws(UploadError) -> HTTPRanges.StoredFile? {
        if let known = progress.withLock({ $0.stored }) { return known }
        let stored = try await ranges.stored()
        progress.withLock { $0.stored = .some(stored) }
        return stored
    }

    /// Another client stored an object in between, or the server or a cache before it does not do what it answers.
    private func stays(_ response: ServerResponse?) -> UploadError {
        UploadError(
            .invalidResponse,
            "something longer than the sent file still lies at \(ranges.target.displayURL), though its DELETE was answered with success: "
                + "look for another program that writes there, or for a cache before the server",
            retry: .afterBackoff, response: response)
    }

    private func tookForWhole(_ stored: HTTPRanges.StoredFile) -> UploadError {
        UploadError(
            .misconfigured,
            "\(ranges.target.displayURL) took a range for the whole file: it does not take files in ranges; remove 'ranges' from the "
                + "destination and run the job again", response: stored.response)
    }
}
