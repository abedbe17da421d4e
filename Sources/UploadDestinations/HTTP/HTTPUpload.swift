import Foundation
import Uploads

/// Uploads the whole file in one request.
struct HTTPUpload: Sendable {
    let target: HTTPTarget
    let exchange: HTTPExchange
    /// The form around the file; nil where the body is the file.
    let form: HTTPFormBody?

    /// - Throws: `rejected` for a job that this destination cannot carry.
    init(_ target: HTTPTarget, _ exchange: HTTPExchange) throws(UploadError) {
        try target.check()
        self.target = target
        self.exchange = exchange
        form = try target.form()
    }

    func send(
        _ part: Part, from source: any UploadSource, _ condition: WriteCondition,
        _ sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) -> CompletedUpload {
        let request = try target.upload(condition, in: form)
        let body = HTTPBody(
            source: source.read(part.range), size: part.size, head: form?.head ?? [], tail: form?.tail ?? [], sent: sent
        )
        let reply = try await exchange.run(request, body: body)
        let response = target.shown(reply)
        if let error = target.configuration.profile?.failure(reply, response, at: target) { throw error }
        guard target.configuration.success.contains(reply.status) else { throw target.failure(response) }
        guard body.isComplete || replaysEarlierAnswer(reply) else {
            throw UploadError(
                .invalidResponse,
                "\(target.displayURL) answered \(response.status) before it had the whole file: check the stored file",
                response: response)
        }
        return CompletedUpload(target.object(reply, response), response: response)
    }

    /// Whether the server gives once more the answer that it gave to an earlier request with the same key, which had the whole file. It needs
    /// the key alone for that, and no byte of this request's body.
    private func replaysEarlierAnswer(_ reply: HTTPReply) -> Bool {
        target.configuration.sendsIdempotencyKey
            && ["idempotency-replayed", "idempotent-replayed"].contains { reply.header($0)?.lowercased() == "true" }
    }
}
