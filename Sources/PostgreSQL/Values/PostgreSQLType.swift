/// A type of the server that this program writes and reads; the numbers are those of the catalogue `pg_type`, which never change.
public struct PostgreSQLType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let bool = PostgreSQLType(rawValue: 16)
    public static let bytea = PostgreSQLType(rawValue: 17)
    public static let name = PostgreSQLType(rawValue: 19)
    public static let int8 = PostgreSQLType(rawValue: 20)
    public static let int2 = PostgreSQLType(rawValue: 21)
    public static let int4 = PostgreSQLType(rawValue: 23)
    public static let text = PostgreSQLType(rawValue: 25)
    public static let xid8 = PostgreSQLType(rawValue: 5069)
    public static let float8 = PostgreSQLType(rawValue: 701)
    public static let varchar = PostgreSQLType(rawValue: 1043)
    public static let timestamptz = PostgreSQLType(rawValue: 1184)
    public static let uuid = PostgreSQLType(rawValue: 2950)
}

/// A value that can be a statement's parameter.
public protocol PostgreSQLEncodable: Sendable {
    static var postgreSQLType: PostgreSQLType { get }
    /// Appends the value in the binary format of its type.
    func encode(into bytes: inout [UInt8])
    /// Whether the parameter is NULL; nothing is encoded then.
    var isNull: Bool { get }
}

extension PostgreSQLEncodable {
    public var isNull: Bool { false }
}

/// A value that can be an element of an array.
public protocol PostgreSQLArrayElement: PostgreSQLEncodable {
    static var postgreSQLArrayType: PostgreSQLType { get }
}

/// A value that a column can have.
public protocol PostgreSQLDecodable: Sendable {
    /// - Parameter bytes: the value in the binary format of `type`.
    /// - Returns: nil if the column is not of a type that this value can be read from.
    init?(_ bytes: UnsafeRawBufferPointer, of type: PostgreSQLType)
}
