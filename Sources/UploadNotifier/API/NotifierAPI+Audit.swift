import Foundation
import Hummingbird
import Logging
import Uploads
import UploadsAPI

/// The audit log: who ordered what, when and from where. The ledger notes the orders that it carries out; what a handler does
/// itself goes through `audited`.
extension NotifierAPI {
    var auditRoutes: [APIRoute] {
        [
            APIRoute(
                .get, "/v1/audit", query: ["by", "verb", "since", "until", "before", "limit"], role: .operate
            ) { [self] in .json(try await audit($0, limit: 100)) }
        ]
    }

    /// - Parameter limit: the most entries where the query does not say it.
    func audit(_ request: APIRequest, limit: Int) async throws -> API.AuditPage {
        let limit = Int(try request.integer("limit", in: 1...Int64(AuditListing.limitMaximum)) ?? Int64(limit))
        let found = try await log.audit(
            AuditListing(
                by: try request.text("by"), verb: try request.text("verb"), since: try request.time("since"),
                until: try request.time("until"), before: try request.integer("before", in: 0...Int64.max),
                limit: limit))
        return API.AuditPage(
            entries: found.map { API.AuditEntry($0) }, next: found.count == limit ? found.last?.id : nil)
    }

    /// Does what an operator orders. The audit log has the order before it is done, and its result afterwards.
    /// - Parameters:
    ///   - verb: such as `delegate.pause`.
    ///   - subject: what it concerns, such as `delegate hooks`.
    ///   - isRescue: the order is carried out although the audit log cannot take it. The notifier's log tells who gave it.
    func audited<Value: Sendable>(
        _ verb: String, _ subject: String, _ request: APIRequest, as given: String? = nil, isRescue: Bool = false,
        _ act: () async throws -> Value
    ) async throws -> Value {
        var entry = AuditEntry(at: clock.now(), by: request.caller.by(given), verb: verb, subject: subject)
        do {
            try await log.note(entry)
        } catch {
            guard isRescue else { throw error }
            return try await unlogged(entry, error, act)
        }
        do {
            let value = try await act()
            entry.done = entry.matched
            try await log.note(entry)
            return value
        } catch {
            entry.done = 0
            entry.reason = (error as? APIProblem)?.detail ?? (error as? UploadError)?.message ?? "it failed"
            try? await log.note(entry)
            throw error
        }
    }

    /// Does what is ordered, and tells the notifier's log, as the ledger cannot write.
    private func unlogged<Value: Sendable>(
        _ entry: AuditEntry, _ error: any Error, _ act: () async throws -> Value
    ) async throws -> Value {
        logger.warning(
            "an order is carried out although the audit log cannot take it",
            metadata: [
                LogKey.order: "\(entry.verb) \(entry.subject)", LogKey.by: "\(entry.by)", LogKey.error: "\(error)",
            ])
        return try await act()
    }
}
