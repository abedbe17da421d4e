import CPostgreSQL

/// An answer as the library holds it. It does not change, so any thread may read it.
final class LibraryResult: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// - Parameter pointer: an answer of `PQgetResult`, which this object frees.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { PQclear(pointer) }

    var status: ExecStatusType { PQresultStatus(pointer) }
    var rowCount: Int { Int(PQntuples(pointer)) }
    var affectedCount: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }
    /// The command that was carried out: `INSERT 0 1`, `COMMIT`, or `ROLLBACK` for a COMMIT of a failed transaction.
    var command: String { String(cString: PQcmdStatus(pointer)) }

    /// The column with exactly this name.
    func column(_ name: String) -> CInt? {
        (0..<PQnfields(pointer)).first { PQfname(pointer, $0).map { String(cString: $0) } == name }
    }

    func type(ofColumn column: CInt) -> PostgreSQLType { PostgreSQLType(rawValue: PQftype(pointer, column)) }

    /// - Returns: what `read` makes of the bytes of a value; nil for NULL.
    func withValue<Value>(row: Int, column: CInt, _ read: (UnsafeRawBufferPointer) -> Value) -> Value? {
        let row = CInt(clamping: row)
        guard PQgetisnull(pointer, row, column) == 0 else { return nil }
        let count = Int(PQgetlength(pointer, row, column))
        return withExtendedLifetime(self) {
            read(UnsafeRawBufferPointer(start: PQgetvalue(pointer, row, column), count: count))
        }
    }

    /// The server's error, without its detail, which may hold values of rows.
    func error() -> PostgreSQLError {
        func field(_ code: Character) -> String? {
            code.asciiValue.flatMap { PQresultErrorField(pointer, CInt($0)) }.map { String(cString: $0) }
        }
        guard let sqlState = field("C") else {
            return PostgreSQLError(
                .connectionLost, LibraryText.line(PQresultErrorMessage(pointer)), isOutcomeUnknown: true)
        }
        let message = [field("M") ?? "the server gave no reason", field("H")].compactMap(\.self).joined(separator: "; ")
        return PostgreSQLError(PostgreSQLError.Code(sqlState: sqlState), message, sqlState: sqlState)
    }
}

enum LibraryText {
    /// The library's text in one line.
    static func line(_ text: UnsafePointer<CChar>?) -> String {
        guard let text else { return "the library gives no reason" }
        let line = String(cString: text).split(whereSeparator: \.isNewline).map {
            $0.trimmingPrefix { $0 == "\t" || $0 == " " }
        }
        .joined(separator: "; ")
        return line.isEmpty ? "the library gives no reason" : line
    }
}
