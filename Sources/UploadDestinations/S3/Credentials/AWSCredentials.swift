public import Foundation

/// What a request to S3 is signed with. Its text and its mirror show the id alone.
public struct AWSCredentials: Hashable, Sendable {
    public var accessKeyID: String
    public var secretAccessKey: String
    /// Sent along with temporary credentials.
    public var sessionToken: String?
    /// When temporary credentials end; nil when they do not, or nobody says when.
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
