public import Uploads

/// A bucket of AWS S3 or of a server that speaks its protocol.
public struct S3Configuration: Hashable, Sendable {
    /// Where a request names its bucket.
    public enum Addressing: String, CaseIterable, Sendable {
        /// `https://host/bucket/key`
        case path
        /// `https://bucket.host/key`
        case virtual
    }

    /// What of a part is told in a header, for the server to check.
    public enum Checksum: String, CaseIterable, Sendable {
        /// Known since the file was staged, of every part and of the whole: costs nothing.
        case crc64nvme
        /// Taken by reading a part once more before it is sent, for servers that do not know CRC-64/NVME.
        case crc32c
        /// The same; about as expensive as sending the bytes.
        case sha256
        case none
    }

    /// What a server does with the condition of a write (`If-None-Match`, `If-Match`).
    public enum Conditions: String, CaseIterable, Sendable {
        /// Obeys it in each write.
        case all
        /// Obeys it in PutObject alone: what goes up in parts is completed in spite of it.
        case put
        /// Does not know it, or refuses what it should allow.
        case none
    }

    /// What an ETag is.
    public enum ETagMeaning: String, CaseIterable, Sendable {
        /// The MD5 of the bytes; of an object of parts the MD5 of theirs, with their number behind it.
        case md5
        /// Anything, as of encrypted objects.
        case opaque
    }

    /// The scheme, host, port and path that requests go to; AWS's for the region if nil.
    public var endpoint: String?
    /// `us-east-1` if nil. A server that names another one in a redirect is followed.
    public var region: String?
    public var bucket: String
    /// What keys are appended to, such as `incoming/`.
    public var prefix: String
    /// If nil: `path` where there is an endpoint or the bucket's name has a dot, `virtual` otherwise.
    public var addressing: Addressing?
    public var checksum: Checksum
    /// nil at a server that is not Amazon's says that it is not known: no write relies on it then.
    public var conditions: Conditions?
    /// nil: an ETag that is the MD5 of what was sent proves it, and another one says nothing.
    public var etag: ETagMeaning?
    /// Whether bodies are signed (SHA-256 of every byte) and not only headers. Costs a read of every part before it is sent.
    public var signsPayload: Bool
    /// Bytes of a part, a multiple of 8 MiB up to 5 GiB; grown for files with too many of them.
    public var partBytes: Int64
    /// Parts of an object: 10,000 at AWS, fewer at some other servers.
    public var partCountMaximum: Int
    /// Files of more bytes are sent in parts; up to 5 GiB.
    public var multipartThresholdBytes: Int64
    public var object: S3ObjectSettings
    public var limits: TransferLimits
    /// The authorities to trust, and the certificate to show.
    public var tls: TLSFiles
    /// How long the server may be silent, and how slow.
    public var times: HTTPTimes

    /// ``etag``, as far as the objects' encryption leaves it one: with keys of KMS or of a customer no ETag is an MD5.
    var etagMeaning: ETagMeaning? {
        switch object.encryption {
        case .kms, .customer: .opaque
        case .managed, nil: etag
        }
    }

    public init(
        endpoint: String? = nil, region: String? = nil, bucket: String, prefix: String = "",
        addressing: Addressing? = nil, limits: TransferLimits = TransferLimits()
    ) {
        self.endpoint = endpoint
        self.region = region
        self.bucket = bucket
        self.prefix = prefix
        self.addressing = addressing
        self.limits = limits
        checksum = .crc64nvme
        signsPayload = false
        partBytes = PartPlan.blockBytes
        partCountMaximum = S3Limits.partCountMaximum
        multipartThresholdBytes = 2 * PartPlan.blockBytes
        object = S3ObjectSettings()
        tls = TLSFiles()
        times = HTTPTimes()
    }
}
