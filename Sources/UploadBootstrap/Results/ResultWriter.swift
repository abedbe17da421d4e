import Synchronization
import Uploads

/// Writes the results of a command to standard output as they come.
final class ResultWriter: Sendable {
    private let rows: Mutex<ResultRows>

    init(_ form: ResultRows.Form = .lines) { rows = Mutex(ResultRows(form)) }

    /// - Parameter isList: whether the results are the elements of one list.
    convenience init(_ format: OutputFormat, isList: Bool) {
        self.init(format == .json && isList ? .array : .lines)
    }

    /// - Returns: whether standard output still has a reader.
    @discardableResult
    func write(_ row: String) -> Bool {
        rows.withLock { rows in Console.output(text: rows.text(of: PlainText.escaped(row))) }
    }

    @discardableResult
    func write(json value: some Encodable) throws -> Bool {
        write(String(decoding: try WireJSON.encode(value), as: UTF8.self))
    }

    /// Writes the end, after the last result.
    func end(isWhole: Bool = true) {
        rows.withLock { rows in
            let text = rows.end(isWhole: isWhole)
            if !text.isEmpty { Console.output(text: text) }
        }
    }
}
