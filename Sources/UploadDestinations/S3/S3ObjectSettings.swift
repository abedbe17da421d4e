public import Foundation
public import Uploads

/// How a destination stores objects, unless a job says otherwise.
public struct S3ObjectSettings: Hashable, Sendable {
    /// Encryption at rest.
    public enum Encryption: Hashable, Sendable {
        /// With keys of S3 (SSE-S3).
        case managed
        /// With a key of KMS (SSE-KMS); nil is the account's default key. `isDual` encrypts in two layers (DSSE-KMS).
        case kms(keyID: String?, isDual: Bool, usesBucketKey: Bool)
        /// With a key of 32 bytes that is sent with every request (SSE-C).
        case customer(key: Data)
    }

    /// The mode of a retention period (S3 Object Lock).
    public enum LockMode: String, CaseIterable, Sendable {
        case governance, compliance
    }

    public var properties = ObjectProperties()
    /// A canned ACL, such as `bucket-owner-full-control`.
    public var acl: String?
    /// Names and values in addition to those of the job.
    public var metadata: [String: String] = [:]
    public var encryption: Encryption?
    public var lockMode: LockMode?
    /// Seconds from its upload during which an object cannot be removed.
    public var lockSeconds: TimeInterval?
    public var isUnderLegalHold = false
    /// Whether the requester pays for requests and traffic (`x-amz-request-payer`).
    public var isRequesterPays = false

    /// Whether objects are to be locked in any way.
    var isLocked: Bool { lockMode != nil || isUnderLegalHold }

    public init() {}
}
