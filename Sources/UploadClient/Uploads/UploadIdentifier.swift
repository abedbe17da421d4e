public import Uploads

/// The name that programs share which share one set of uploads.
public struct UploadIdentifier: Name {
    public static var subject: String { "upload identifier" }
    public let rawValue: String
    public init(unchecked rawValue: String) { self.rawValue = rawValue }
}
