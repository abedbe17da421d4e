import Foundation
import Synchronization
import Uploads

/// One PUT of the whole file to a ticket's URL, and the completing call as a step of its own: if that call fails, the bytes are not sent again.
final class TicketSession: UploadSession {
    let plan: PartPlan

    private let job: UploadJob
    private let source: any TicketSource
    private let put: TicketPut
    private let progress: Mutex<Progress>
    /// Whether another worker sent the bytes, and may also have made the completing call.
    private let isResumed: Bool

    private struct Progress {
        var ticket: UploadTicket?
        /// Computed once for a slice, even if the bytes are sent several times.
        var md5: Data?
        var sent: TicketState?
        var response: ServerResponse?
    }

    /// - Parameter sent: nil where the bytes are still to be sent.
    init(_ job: UploadJob, _ sent: TicketState?, from source: any TicketSource, by put: TicketPut) {
        self.job = job
        self.source = source
        self.put = put
        plan = PartPlan(size: job.size, partSize: max(1, job.size))
        progress = Mutex(Progress(sent: sent))
        isResumed = sent != nil
    }

    var state: UploadState? { progress.withLock { $0.sent }?.uploadState(of: source.driver) }

    var missing: [Part] { progress.withLock { $0.sent } == nil ? Array(plan.parts) : [] }

    func upload(
        _ part: Part, from bytes: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        let md5 = try await md5(of: bytes)
        let ticket = try await ticket(md5)
        let response: ServerResponse
        do throws(UploadError) {
            response = try await put.send(
                part, of: job, from: bytes, md5: source.sendsContentMD5 ? md5 : nil, to: ticket, sent: sent)
        } catch {
            // If the store did not answer, the ticket is still valid.
            if let answer = error.response,
                TicketErrorTable.wantsAnother(answer.status, Data((answer.body ?? "").utf8))
            {
                progress.withLock { $0.ticket = nil }
            }
            throw error
        }
        progress.withLock { progress in
            progress.response = response
            progress.sent = TicketState(
                id: ticket.id, place: DestinationReference.redact(ticket.url), etag: response.headers["etag"])
        }
    }

    /// Each ticket names a new place, which cannot have an object yet, so every condition holds.
    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        guard let sent = progress.withLock({ $0.sent }) else {
            throw UploadError(
                .invalidResponse, "\(source.displayURL) has not been sent the file: it is sent again",
                retry: .afterBackoff)
        }
        var verdict: TicketVerdict?
        if isResumed { verdict = try await source.verdict(of: sent.id, job) }
        switch verdict {
        case nil, .open, .absent: verdict = try await source.complete(sent.id, of: job)
        case .pending, .done, .refused: break
        }
        switch verdict {
        case .absent(let error), .refused(let error): throw error
        case .pending(let response, let seconds):
            throw UploadError(
                .unknown, "\(source.displayURL) has the file and is not done with it: it is asked again",
                retry: .notYet(seconds: seconds), response: response)
        case .done(let response): return CompletedUpload(sent.object(of: job, at: source), response: response)
        case nil, .open:
            return CompletedUpload(sent.object(of: job, at: source), response: progress.withLock { $0.response })
        }
    }

    func close() async {}

    private func md5(of bytes: any UploadSource) async throws(UploadError) -> Data? {
        guard source.needsMD5 || source.sendsContentMD5 else { return nil }
        if let known = progress.withLock({ $0.md5 }) { return known }
        let md5 = try await SourceDigest.md5(of: bytes)
        progress.withLock { $0.md5 = md5 }
        return md5
    }

    private func ticket(_ md5: Data?) async throws(UploadError) -> UploadTicket {
        if let ticket = progress.withLock({ $0.ticket }), !ticket.isExpired(at: Date()) { return ticket }
        let ticket = try await source.request(job, md5: md5)
        progress.withLock { $0.ticket = ticket }
        return ticket
    }
}

extension TicketState {
    /// The stored object. The store confirms it by the ETag; the worker checked the bytes that it read.
    func object(of job: UploadJob, at source: any TicketSource) -> StoredObject {
        StoredObject(location: source.location(self), etag: etag, size: job.size, digests: job.digests)
    }
}
