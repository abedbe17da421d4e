import Foundation
import Uploads

/// What S3 allows (Amazon S3 User Guide, "Amazon S3 multipart upload limits" and "Creating object key names").
enum S3Limits {
    /// Longest id of an upload that is kept, in bytes: the state has to fit a message. Those of AWS have about 130.
    static let uploadIDBytesMaximum = 4096
    static let partBytesMinimum: Int64 = 5 << 20
    static let partBytesMaximum: Int64 = 5 << 30
    static let partCountMaximum = 10_000
    /// Of one PUT.
    static let putBytesMaximum: Int64 = 5 << 30
    static let keyBytesMaximum = 1024
    /// Names and values of user metadata together.
    static let metadataBytesMaximum = 2048
    /// Entries of one page of a listing.
    static let pageMaximum = 1000
    /// Most bytes of a listing's page that are read: about 2 KiB an entry.
    static let pageBytesMaximum = 4 << 20
    /// Seconds from the status to the end of the answer to CompleteMultipartUpload: "processing could take several minutes", in which the
    /// server sends white space (Amazon S3 API Reference, "CompleteMultipartUpload").
    static let completionSeconds: TimeInterval = 600
}
