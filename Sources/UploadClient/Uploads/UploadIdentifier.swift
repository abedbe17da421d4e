public import Uploads

/// The name of a set of uploads that several programs share.
public struct UploadIdentifier: Name {
    public static var subject: String { "upload identifier" }
    public let rawValue: String
    public init(unchecked rawValue: String) { self.rawValue = rawValue }
}
