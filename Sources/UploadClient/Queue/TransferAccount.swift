public import Uploads

/// The far end of a session's files: a named destination of the workers' configuration. Its credentials stay there.
public struct TransferAccount: Hashable, Codable, Sendable {
    public let destination: DestinationName

    public init(_ destination: DestinationName) { self.destination = destination }

    /// - Throws: `misconfigured` for a text that is not a destination's name.
    public init(_ destination: String) throws(UploadError) { self.init(try DestinationName(destination)) }
}

extension TransferAccount: CustomStringConvertible {
    public var description: String { destination.rawValue }
}
