import Foundation
import Uploads

/// The limits of S3 (Amazon S3 User Guide, "Amazon S3 multipart upload limits" and "Creating object key names").
enum S3Limits {
    /// Longest upload id that is kept, in bytes: the state has to fit into a message. AWS's ids have about 130 bytes.
    static let uploadIDBytesMaximum = 4096
    static let partBytesMinimum: Int64 = 5 << 20
    static let partBytesMaximum: Int64 = 5 << 30
    static let partCountMaximum = 10_000
    /// Largest body of one PUT.
    static let putBytesMaximum: Int64 = 5 << 30
    static let keyBytesMaximum = 1024
    /// The most bytes of all names and values of user metadata.
    static let metadataBytesMaximum = 2048
    /// The most entries on one page of a listing.
    static let pageMaximum = 1000
    /// The most bytes of a listing's page that are read: about 2 KiB for each entry.
    static let pageBytesMaximum = 4 << 20
    /// Seconds from the status to the end of the answer to CompleteMultipartUpload and to the requests that copy: "processing could take
    /// several minutes", during which the server sends white space (Amazon S3 API Reference, "CompleteMultipartUpload").
    static let completionSeconds: TimeInterval = 600
}
