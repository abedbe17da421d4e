public import Foundation

/// The credentials that sign a request to S3. Their description and mirror show only the id.
public struct AWSCredentials: Hashable, Sendable {
    public var accessKeyID: String
    public var secretAccessKey: String
    /// Part of temporary credentials; sent with each request.
    public var sessionToken: String?
    /// When temporary credentials end; nil when they do not end, or the end is not known.
    public var expiresAt: Date?

    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expiresAt: Date? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expiresAt = expiresAt
    }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let kind = sessionToken == nil ? "" : ", temporary"
        let end = expiresAt.map { ", until \($0.formatted(.iso8601))" } ?? ""
        return "\(accessKeyID) (secret hidden\(kind)\(end))"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}
