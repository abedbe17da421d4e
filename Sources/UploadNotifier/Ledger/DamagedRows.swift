import Foundation
import Logging
import Synchronization
import Uploads

/// Decodes rows. A row that cannot be read affects no others: it is logged once, with the remedy, and left out.
final class DamagedRows: Sendable {
    /// The most rows that are remembered as logged; beyond that, a row is logged each time it is met.
    private static let saidCountMaximum = 1000

    private let logger: Logger
    private let said = Mutex<Set<String>>([])

    init(logger: Logger) { self.logger = logger }

    /// - Returns: nil for a row that cannot be read.
    func value<Value: Decodable>(
        _ type: Value.Type, from data: Data?, _ table: String, _ row: some LosslessStringConvertible
    ) -> Value? {
        do throws(DamagedRow) {
            return try Self.value(type, from: data, table, row)
        } catch {
            say(error)
            return nil
        }
    }

    /// Decodes a job.
    /// - Parameter id: the id from the row's own column.
    func job(_ record: Data, id: String) -> LedgerJob? {
        do throws(DamagedRow) {
            return try Self.job(record, id: id)
        } catch {
            say(error)
            return nil
        }
    }

    func say(_ damage: DamagedRow) {
        let isNew = said.withLock { said in
            if said.count >= Self.saidCountMaximum { said = [] }
            return said.insert("\(damage.table) \(damage.row)").inserted
        }
        guard isNew else { return }
        logger.error(
            "the ledger cannot read one of its rows and goes on without it", metadata: [LogKey.error: "\(damage.text)"])
    }

    static func value<Value: Decodable>(
        _ type: Value.Type, from data: Data?, _ table: String, _ row: some LosslessStringConvertible
    ) throws(DamagedRow) -> Value {
        guard let data else { throw DamagedRow(table, "\(row)", why: "it is missing") }
        do {
            return try WireJSON.decode(type, from: RowText.json(data))
        } catch {
            throw DamagedRow(table, "\(row)", error)
        }
    }

    static func job(_ record: Data, id: String) throws(DamagedRow) -> LedgerJob {
        let job = try value(LedgerJob.self, from: record, "jobs", id)
        guard job.id.rawValue == id else { throw DamagedRow("jobs", id, why: "it is about another job") }
        return job
    }
}
