import Foundation
import Synchronization
import Uploads

/// Uploads each part as an upload of its own, several at once; the server puts them together at the end (tus 1.0, "Concatenation").
final class TusConcatenation: UploadSession {
    let plan: PartPlan

    private let job: UploadJob
    private let client: TusClient
    /// Metadata of the upload that the server makes of the parts.
    private let metadata: TusMetadata
    /// One stream for each part, in the order of the parts.
    private let streams: [TusStream]
    private let current: TusState
    private let completed = Mutex<CompletedUpload?>(nil)

    init(_ job: UploadJob, _ metadata: TusMetadata, _ streams: [TusStream], _ state: TusState, by client: TusClient) {
        self.job = job
        self.client = client
        self.metadata = metadata
        self.streams = streams
        current = state
        plan = PartPlan(size: job.size, partSize: state.partBytes)
    }

    /// Makes an upload for each part.
    convenience init(begin job: UploadJob, _ metadata: TusMetadata, by client: TusClient) async throws(UploadError) {
        let plan = try PartPlan(
            size: job.size,
            limits: PartLimits(
                partBytesMinimum: 1, partBytesMaximum: .max, partCountMaximum: TusLimits.partialsMaximum),
            preferredPartSize: client.configuration.partBytes)
        var uploads: [TusUpload] = []
        do throws(UploadError) {
            for part in plan.parts {
                uploads.append(
                    try await TusUpload.create(job, part.range, TusMetadata(partOf: job), .partial, by: client))
            }
            guard uploads.reduce(0, { $0 + $1.url.utf8.count }) <= TusLimits.partialURLBytesMaximum else {
                throw UploadError(
                    .misconfigured,
                    "\(client.address.displayURL) gives uploads names that are too long to keep \(uploads.count) of them: set the "
                        + "destination's concatenation to false, or raise its partSize")
            }
        } catch {
            // No state names these uploads, so no worker could ever remove them later.
            for upload in uploads { try? await upload.remove() }
            throw error
        }
        self.init(
            job, metadata, uploads.map { TusStream($0, reached: $0.range.lowerBound) },
            TusState(.partials(uploads.map(\.url)), partBytes: plan.partSize), by: client)
    }

    var state: UploadState? { current.uploadState }

    var missing: [Part] {
        guard completed.withLock({ $0 }) == nil else { return [] }
        return zip(plan.parts, streams).compactMap { part, stream in
            let reached = stream.reached
            return reached < part.range.upperBound
                ? Part(number: part.number, range: reached..<part.range.upperBound) : nil
        }
    }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        try await streams[part.number - 1].bring(to: part.range.upperBound, from: source, sent: sent)
    }

    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        if let completed = completed.withLock({ $0 }) { return completed }
        for stream in streams {
            let reached = try await stream.settled()
            guard reached == stream.upload.range.upperBound else { throw stream.upload.incomplete(reached) }
        }
        let whole = try await putTogether()
        guard let held = try await whole.held(), held.reached == job.size else {
            throw UploadError(
                .invalidResponse, "\(whole.location) was not made of all parts: look at the server",
                retry: .afterBackoff)
        }
        let new = CompletedUpload(whole.object, response: held.response)
        completed.withLock { $0 = new }
        await removeParts()
        return new
    }

    func close() async {}

    private func putTogether() async throws(UploadError) -> TusUpload {
        do throws(UploadError) {
            return try await TusUpload.create(
                job, 0..<job.size, metadata, .final(streams.map(\.upload.url)), by: client)
        } catch {
            // The server did not find the parts: the endpoint itself was there when the parts were made.
            guard error.code == .destinationNotFound else { throw error }
            throw client.gone(current.displayURL)
        }
    }

    /// Removes the partial uploads. Some servers do it themselves: if the first is gone, all are. Remaining ones expire.
    private func removeParts() async {
        for stream in streams {
            guard let held = try? await stream.upload.held(), held.reached > 0 else { return }
            try? await stream.upload.remove()
        }
    }
}
