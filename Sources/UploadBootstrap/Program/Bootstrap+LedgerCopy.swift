import Foundation
import UploadNotifier
import Uploads

extension Bootstrap {
    /// `uploadctl ledger copy`: copies a ledger into a new one, of the same or the other kind of database, and compares the two.
    /// - Parameters:
    ///   - from: the path or the URL of the ledger to copy.
    ///   - to: those of the new ledger.
    public static func copyLedger(
        _ input: ConfigurationInput, from: String, to: String, checkConfig: Bool
    ) async throws -> ExitCode {
        var input = input
        input.standards["log.level"] = "warning"
        let configuration = try UploadConfiguration(input)
        if checkConfig {
            Console.output(line: ConfigurationReport(settings: configuration.settings).text)
            return .done
        }
        let places = try [from, to].map { try configuration.ledgerPlace(named: $0, in: input.directory) }
        let interruption = Interruption()
        let tables: [CopiedTable]
        do {
            tables = try await interruption.cancelling {
                try await LedgerCopy.run(
                    from: places[0], to: places[1], logger: configuration.logger("uploadctl")
                ) { show($0) }
            }
        } catch {
            Console.erase()
            guard interruption.wasInterrupted else { throw error }
            say("interrupted; run the same command again, and the copy goes on")
            return .interrupted
        }
        Console.erase()
        for row in Self.rows(tables) { Console.output(line: row) }
        say("complete: source and copy agree in all rows")
        say(
            "name \(places[1]) as 'notifier.ledger' of each notifier, and do not use \(places[0]) any more: the namespace has one ledger"
        )
        return .done
    }

    /// One line for each table: its name, its rows, and the beginning of their digest.
    static func rows(_ tables: [CopiedTable]) -> [String] {
        let width = tables.map(\.name.count).max() ?? 0
        let digits = tables.map { String($0.count).count }.max() ?? 0
        return tables.map { table in
            let name = table.name.padding(toLength: width, withPad: " ", startingAt: 0)
            let count = String(table.count)
            return "\(name)  \(String(repeating: " ", count: digits - count.count))\(count) rows  "
                + "SHA-256 \(Hexadecimal.text(of: table.digest.prefix(8)))…"
        }
    }

    private static func say(_ line: String) { Console.error(line: "uploadctl: \(line)") }

    /// Draws the progress of a copy on a terminal.
    private static func show(_ progress: CopyProgress) {
        guard Console.canDrawErrors else { return }
        let text = "\(progress.step.rawValue) \(progress.table): \(progress.done) of \(progress.total)"
        Console.draw { columns, _ in [String(text.prefix(columns))] }
    }
}
