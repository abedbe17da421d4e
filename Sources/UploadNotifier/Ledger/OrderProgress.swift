import Foundation
import GRDB
import Uploads

/// How far an order was carried out.
struct OrderProgress: Codable {
    /// The answer so far.
    var answer: OrderAnswer
    /// Of a filter: the last job that was decided on.
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
    /// As it is remembered: an order to forget that was carried out no longer says which batch it was about.
    func kept(isDone: Bool) -> UploadOrder {
        guard isDone, case .matching(.forget, var filter, let atMost) = command else { return self }
        filter.batch = nil
        var order = self
        order.command = .matching(.forget, filter, atMost: atMost)
        return order
    }
}
