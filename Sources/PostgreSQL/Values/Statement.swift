/// SQL with its parameters, written as an interpolated string: each interpolated value becomes a parameter (`$1`, `$2` …), which the
/// server never reads as SQL.
///
/// ```swift
/// let statement: Statement = "SELECT name FROM files WHERE id = \(id) AND size > \(1024 as Int64)"
/// ```
public struct Statement: Sendable, ExpressibleByStringInterpolation {
    private let pieces: [Piece]

    public init(stringLiteral sql: String) { pieces = [.sql(sql)] }

    public init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

    /// The text, with `$1`, `$2` … in the places of the parameters.
    public var sql: String {
        var count = 0
        return pieces.reduce(into: "") { sql, piece in
            switch piece {
            case .sql(let text): sql += text
            case .parameter:
                count += 1
                sql += "$\(count)"
            }
        }
    }

    var parameters: [Parameter] {
        pieces.compactMap { piece in
            if case .parameter(let parameter) = piece { parameter } else { nil }
        }
    }

    enum Piece: Sendable {
        case sql(String)
        case parameter(Parameter)
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        var pieces: [Piece] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            pieces.reserveCapacity(2 * interpolationCount + 1)
        }

        public mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { pieces.append(.sql(literal)) }
        }

        public mutating func appendInterpolation<Value: PostgreSQLEncodable>(_ value: Value) {
            pieces.append(.parameter(Parameter(value)))
        }

        /// nil is NULL.
        public mutating func appendInterpolation<Value: PostgreSQLEncodable>(_ value: Value?) {
            pieces.append(.parameter(Parameter(value)))
        }

        /// A part of a statement, with its own parameters.
        public mutating func appendInterpolation(_ part: Statement) {
            pieces += part.pieces
        }

        /// Text that becomes SQL as it is: never a value from outside.
        public mutating func appendInterpolation(sql: StaticString) { pieces.append(.sql("\(sql)")) }
    }
}

/// A value for a statement, in the binary format of its type.
struct Parameter: Sendable {
    /// The type's object id at the server (the catalogue `pg_type`).
    let type: UInt32
    /// nil: NULL.
    let bytes: [UInt8]?

    init<Value: PostgreSQLEncodable>(_ value: Value) {
        type = Value.postgreSQLType.rawValue
        var bytes: [UInt8] = []
        if !value.isNull { value.encode(into: &bytes) }
        self.bytes = value.isNull ? nil : bytes
    }
}
