import CPostgreSQL

/// The answer to one statement.
public struct Rows: RandomAccessCollection, Sendable {
    let result: LibraryResult

    public var startIndex: Int { 0 }
    public var endIndex: Int { result.rowCount }
    public subscript(position: Int) -> Row { Row(result: result, index: position) }

    /// The number of rows that the statement inserted, changed, removed or answered.
    public var affectedCount: Int { result.affectedCount }

    /// The command that the server carried out, such as `INSERT 0 1`.
    public var command: String { result.command }
}

/// One row of an answer.
public struct Row: Sendable {
    let result: LibraryResult
    let index: Int

    /// The value of a column.
    /// - Throws: `.invalidValue` if there is no such column, or it is NULL or of another type.
    public func get<Value: PostgreSQLDecodable>(_ column: String, as type: Value.Type = Value.self)
        throws(PostgreSQLError) -> Value
    {
        guard let value: Value = try getIfPresent(column) else {
            throw PostgreSQLError(.invalidValue, "the column \(column) is NULL")
        }
        return value
    }

    /// The value of a column, or nil if that is NULL.
    /// - Throws: `.invalidValue` if there is no such column, or it is of another type.
    public func getIfPresent<Value: PostgreSQLDecodable>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(PostgreSQLError) -> Value? {
        guard let number = result.column(column) else {
            throw PostgreSQLError(.invalidValue, "the answer has no column \(column)")
        }
        let columnType = result.type(ofColumn: number)
        // Two levels of nil: NULL, and a value that the type does not take.
        guard let read = result.withValue(row: index, column: number, { Value($0, of: columnType) }) else { return nil }
        guard let read else {
            throw PostgreSQLError(
                .invalidValue, "the column \(column) of type \(columnType.rawValue) cannot be read as \(Value.self)")
        }
        return read
    }
}
