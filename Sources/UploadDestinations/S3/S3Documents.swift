import Uploads
import XMLCoder

// The XML documents of the Amazon S3 API Reference, with the fields that this driver uses.

/// A document that an answer of success must contain. All its fields may be missing, so its root identifies it.
protocol S3Document: Decodable {
    /// The beginning of the root's name: some servers leave out the `Result` behind it.
    static var root: String { get }
}

/// The body of a failure ("Error responses").
struct S3ErrorDocument: Decodable, Sendable {
    var code: String?
    var message: String?
    var requestID: String?
    /// The bucket's region, if the request went to another one.
    var region: String?
    /// The endpoint to which a redirect leads.
    var endpoint: String?

    private enum CodingKeys: String, CodingKey {
        case code = "Code"
        case message = "Message"
        case requestID = "RequestId"
        case region = "Region"
        case endpoint = "Endpoint"
    }
}

/// The answer to CreateMultipartUpload.
struct S3CreatedUpload: S3Document, Sendable {
    static let root = "InitiateMultipartUpload"

    var uploadID: String

    private enum CodingKeys: String, CodingKey { case uploadID = "UploadId" }
}

/// The checksums of a part, in base64, of which an answer has at most one.
struct S3PartChecksums: Decodable, Sendable {
    private var crc64nvme: String?
    private var crc32c: String?
    private var sha256: String?

    private enum CodingKeys: String, CodingKey {
        case crc64nvme = "ChecksumCRC64NVME"
        case crc32c = "ChecksumCRC32C"
        case sha256 = "ChecksumSHA256"
    }

    init() {}

    subscript(algorithm: S3Configuration.Checksum) -> String? {
        switch algorithm {
        case .crc64nvme: crc64nvme
        case .crc32c: crc32c
        case .sha256: sha256
        case .none: nil
        }
    }
}

/// The answer to ListParts.
struct S3PartList: S3Document, Sendable {
    static let root = "ListParts"

    struct Part: Decodable, Sendable {
        var number: Int
        var etag: String
        var size: Int64
        var checksums: S3PartChecksums

        private enum CodingKeys: String, CodingKey {
            case number = "PartNumber"
            case etag = "ETag"
            case size = "Size"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            number = try container.decode(Int.self, forKey: .number)
            etag = try container.decode(String.self, forKey: .etag)
            size = try container.decode(Int64.self, forKey: .size)
            checksums = try S3PartChecksums(from: decoder)
        }
    }

    var parts: [Part]?
    var isTruncated: Bool?
    var nextMarker: Int?

    private enum CodingKeys: String, CodingKey {
        case parts = "Part"
        case isTruncated = "IsTruncated"
        case nextMarker = "NextPartNumberMarker"
    }
}

/// The body of CompleteMultipartUpload.
struct S3PartsToComplete: Encodable {
    struct Part: Encodable {
        var number: Int
        var etag: String
        var crc32c: String?
        var sha256: String?

        private enum CodingKeys: String, CodingKey {
            case number = "PartNumber"
            case etag = "ETag"
            case crc32c = "ChecksumCRC32C"
            case sha256 = "ChecksumSHA256"
        }
    }

    var parts: [Part]

    private enum CodingKeys: String, CodingKey { case parts = "Part" }
}

/// The answer to CompleteMultipartUpload.
struct S3CompletedUpload: S3Document, Sendable {
    static let root = "CompleteMultipartUpload"

    var etag: String?
    var crc64nvme: String?

    private enum CodingKeys: String, CodingKey {
        case etag = "ETag"
        case crc64nvme = "ChecksumCRC64NVME"
    }
}

/// The answer to a request that copies.
protocol S3CopyDocument: S3Document {
    /// Without fields.
    init()
}

/// The answer to CopyObject.
struct S3CopiedObject: S3CopyDocument, Sendable {
    static let root = "CopyObject"

    var etag: String?
    /// The server's checksum of the whole copy.
    var crc64nvme: String?

    private enum CodingKeys: String, CodingKey {
        case etag = "ETag"
        case crc64nvme = "ChecksumCRC64NVME"
    }
}

/// The answer to UploadPartCopy.
struct S3CopiedPart: S3CopyDocument, Sendable {
    static let root = "CopyPart"

    var etag: String?
    var checksums = S3PartChecksums()

    private enum CodingKeys: String, CodingKey { case etag = "ETag" }

    init() {}

    init(from decoder: any Decoder) throws {
        etag = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .etag)
        checksums = try S3PartChecksums(from: decoder)
    }
}

/// The answer to ListMultipartUploads.
struct S3UploadList: S3Document, Sendable {
    static let root = "ListMultipartUploads"

    struct Upload: Decodable, Sendable {
        var key: String
        var uploadID: String
        var initiated: String

        private enum CodingKeys: String, CodingKey {
            case key = "Key"
            case uploadID = "UploadId"
            case initiated = "Initiated"
        }
    }

    var uploads: [Upload]?
    var isTruncated: Bool?
    var nextKeyMarker: String?
    var nextUploadIDMarker: String?

    private enum CodingKeys: String, CodingKey {
        case uploads = "Upload"
        case isTruncated = "IsTruncated"
        case nextKeyMarker = "NextKeyMarker"
        case nextUploadIDMarker = "NextUploadIdMarker"
    }
}

/// The answer to ListObjectsV2.
struct S3ObjectList: S3Document, Sendable {
    static let root = "ListBucket"

    struct Object: Decodable, Sendable {
        var key: String
        var modified: String?
        var etag: String?
        var size: Int64?

        private enum CodingKeys: String, CodingKey {
            case key = "Key"
            case modified = "LastModified"
            case etag = "ETag"
            case size = "Size"
        }
    }

    var objects: [Object]?
    var isTruncated: Bool?
    var nextToken: String?
    /// `url` where the server has escaped the keys.
    var encoding: String?

    private enum CodingKeys: String, CodingKey {
        case objects = "Contents"
        case isTruncated = "IsTruncated"
        case nextToken = "NextContinuationToken"
        case encoding = "EncodingType"
    }
}
