public import Uploads

/// Where the files of a session go: a named destination of the workers' configuration. Its credentials stay there.
public struct TransferAccount: Hashable, Codable, Sendable {
    public let destination: DestinationName

    public init(_ destination: DestinationName) { self.destination = destination }

    /// - Throws: `misconfigured` for what is no name of a destination.
    public init(_ destination: String) throws(UploadError) { self.init(try DestinationName(destination)) }
}

extension TransferAccount: CustomStringConvertible {
    public var description: String { destination.rawValue }
}
