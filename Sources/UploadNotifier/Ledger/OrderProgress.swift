import Foundation
import GRDB
import Uploads

/// The progress of an order.
struct OrderProgress: Codable {
    /// The answer so far.
    var answer: OrderAnswer
    /// For an order with a filter: the last job that was handled.
    var after: JobID?
    var isDone = false

    init(_ answer: OrderAnswer) { self.answer = answer }

    mutating func add(_ jobs: [OrderAnswer.Job]) { answer.add(jobs) }

    mutating func finish(count: Int) {
        answer.matched = min(count, WireLimits.countMaximum)
        answer.done = answer.matched
        isDone = true
    }

    static func known(of order: UploadOrder, in db: Database) throws -> OrderProgress? {
        try Data.fetchOne(
            db, sql: "SELECT progress FROM orders WHERE id = ?", arguments: [order.id.uuidString.lowercased()]
        ).map { try WireJSON.decode(OrderProgress.self, from: $0) }
    }

    func save(_ order: UploadOrder, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO orders (id, at, body, progress) VALUES (?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET progress = excluded.progress, body = excluded.body
                """
        ).execute(arguments: [
            order.id.uuidString.lowercased(), order.at.timeIntervalSince1970, try WireJSON.encode(order),
            try WireJSON.encode(self),
        ])
    }
}

extension UploadOrder {
    /// The order in the form in which it is kept: a completed order to forget no longer names its batch.
    func kept(isDone: Bool) -> UploadOrder {
        guard isDone, case .matching(.forget, var filter, let atMost) = command else { return self }
        filter.batch = nil
        var order = self
        order.command = .matching(.forget, filter, atMost: atMost)
        return order
    }
}
