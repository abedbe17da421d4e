import Foundation
import NIOHTTP1
import Synchronization
import Uploads

/// One PUT. It makes the object, so it carries the condition; completing only tells what it brought.
final class HTTPSession: UploadSession {
    let plan: PartPlan

    private let target: HTTPTarget
    private let exchange: HTTPExchange
    private let progress = Mutex(Progress())

    private struct Progress {
        var condition = WriteCondition.none
        var completed: CompletedUpload?
    }

    init(_ target: HTTPTarget, _ exchange: HTTPExchange, _ plan: PartPlan) {
        self.target = target
        self.exchange = exchange
        self.plan = plan
    }

    /// Nothing remains of an unfinished PUT.
    var state: UploadState? { nil }

    var missing: [Part] { progress.withLock { $0.completed } == nil ? Array(plan.parts) : [] }

    func prepare(for condition: WriteCondition) {
        progress.withLock { $0.condition = condition }
    }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        let request = try target.request(.PUT, progress.withLock { $0.condition })
        let body = HTTPBody(source: source.read(part.range), size: part.size, sent: sent)
        let response = try await exchange.run(request, body: body)
        guard (200..<300).contains(response.status) else { throw target.failure(response) }
        guard body.isComplete else {
            throw UploadError(
                .invalidResponse,
                "\(target.displayURL) answered \(response.status) before it had the whole file: check what is stored there",
                response: response)
        }
        let object = target.object(response, of: (part.size, target.job.digests))
        progress.withLock { $0.completed = CompletedUpload(object, response: response) }
    }

    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        guard let completed = progress.withLock({ $0.completed }) else {
            throw UploadError(
                .invalidResponse, "\(target.displayURL) has not been sent the file: it is sent again",
                retry: .afterBackoff)
        }
        return completed
    }

    func close() async {}
}
