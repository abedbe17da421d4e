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

    /// The checksum of a part that goes with it in a header, for the server to check.
    public enum Checksum: String, CaseIterable, Sendable {
        /// Costs nothing: staging has computed it for every part and for the whole.
        case crc64nvme
        /// Computed by reading a part once more before it is sent, for servers without CRC-64/NVME.
        case crc32c
        /// Computed in the same way; about as expensive as sending the bytes.
        case sha256
        case none
    }

    /// How a server treats the condition of a write (`If-None-Match`, `If-Match`).
    public enum Conditions: String, CaseIterable, Sendable {
        /// Obeys it in each write.
        case all
        /// Obeys it in PutObject alone: a multipart upload is completed in spite of the condition.
        case put
        /// Ignores the condition, or refuses writes that it should allow.
        case none
    }

    /// The meaning of the server's ETags.
    public enum ETagMeaning: String, CaseIterable, Sendable {
        /// The MD5 of the bytes; of a multipart object the MD5 of the parts' MD5s, followed by the number of parts.
        case md5
        /// No digest, such as the ETags of encrypted objects.
        case opaque
    }

    /// The scheme, host, port and path that requests go to; nil: those of AWS for the region.
    public var endpoint: String?
    /// nil: `us-east-1`. The driver follows a server that names another region in a redirect.
    public var region: String?
    public var bucket: String
    /// The prefix of all keys, such as `incoming/`.
    public var prefix: String
    /// nil: `path` where there is an endpoint or the bucket's name has a dot, `virtual` otherwise.
    public var addressing: Addressing?
    public var checksum: Checksum
    /// nil: `all` at AWS; at other servers unknown, and no write relies on conditions.
    public var conditions: Conditions?
    /// nil: an ETag that is the MD5 of the sent bytes proves them, and any other ETag proves nothing.
    public var etag: ETagMeaning?
    /// Whether the signature covers bodies (SHA-256 of every byte) and not only headers. Costs a read of every part before it is sent.
    public var signsPayload: Bool
    /// Bytes of a part, a multiple of 8 MiB up to 5 GiB; larger for files that would have too many parts.
    public var partBytes: Int64
    /// Parts of an object: 10,000 at AWS, fewer at some other servers.
    public var partCountMaximum: Int
    /// Files of more bytes are sent in parts; up to 5 GiB.
    public var multipartThresholdBytes: Int64
    public var object: S3ObjectSettings
    public var limits: TransferLimits
    /// The authorities to trust, and the worker's own certificate.
    public var tls: TLSFiles
    /// How long the server may be silent, and the least rate of its answers.
    public var times: HTTPTimes

    /// The value of ``etag``, but `opaque` for objects that are encrypted with keys of KMS or of a customer: their ETags are never MD5s.
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
