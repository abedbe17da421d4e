import UploadDestinations

/// The keys of the driver `s3`.
extension ConfigurationKey {
    static let s3: [ConfigurationKey] = place + credentials + transfer + object

    private static func key(_ name: String, _ kind: ValueKind, _ summary: String) -> ConfigurationKey {
        ConfigurationKey("destinations.*.\(name)", kind, owners: ["s3"], summary)
    }

    private static let place: [ConfigurationKey] = [
        key("endpoint", .url(schemes: ["https", "http"]), "the server; AWS if left out"),
        key("region", .text, "us-east-1 if left out"),
        key("bucket", .text, "the bucket, which must exist"),
        key("prefix", .text, "what keys are appended to, such as incoming/"),
        key(
            "addressing", .choice(S3Configuration.Addressing.allCases.map(\.rawValue)),
            "where the bucket stands: in the path (usual with an endpoint), or in the host (virtual)"),
    ]

    private static let credentials: [ConfigurationKey] = [
        key("accessKeyId", .secret, "the access key; the AWS provider chain if left out"),
        key("secretAccessKey", .secret, "the secret of accessKeyId"),
        key("sessionToken", .secret, "the token of temporary credentials"),
        ConfigurationKey(
            "destinations.*.profile", .text, owners: ["http", "s3"],
            "of s3 a profile of the shared AWS files, instead of keys; of http a service that it knows: imgur"),
    ]

    private static let transfer: [ConfigurationKey] = [
        key(
            "checksum", .choice(S3Configuration.Checksum.allCases.map(\.rawValue)),
            "what the server checks parts with; crc64nvme if left out"),
        key(
            "conditions", .choice(S3Configuration.Conditions.allCases.map(\.rawValue)),
            "which writes the server makes under a condition; all at AWS, elsewhere none is relied on if left out"),
        key(
            "etag", .choice(S3Configuration.ETagMeaning.allCases.map(\.rawValue)),
            "md5 where an ETag is the MD5 of the bytes, so that another one is a failure; opaque where it never is"),
        key("signPayload", .boolean, "whether bodies are signed too; costs a second read"),
        ConfigurationKey(
            "destinations.*.partSize", .bytes((8 << 20)...(5 << 30)), owners: ["http", "resumable", "s3", "tus"],
            "a multiple of 8MiB; 8MiB (s3) or 32MiB (others) if left out"),
        key("partCount", .integer(1...10_000), "the most parts that the server takes; 10000 if left out"),
        key("multipartThreshold", .bytes(0...(5 << 30)), "larger files go up in parts; 16MiB if left out"),
    ]

    private static let object: [ConfigurationKey] = [
        key("cacheControl", .text, "Cache-Control of objects"),
        key("contentDisposition", .text, "Content-Disposition of objects"),
        key("contentEncoding", .text, "Content-Encoding of objects"),
        key("contentLanguage", .text, "Content-Language of objects"),
        key("metadata.*", .text, "metadata of every object"),
        key("tags.*", .text, "a tag of every object"),
        key("storageClass", .text, "such as STANDARD_IA; the bucket's own if left out"),
        key("acl", .text, "a canned ACL, such as bucket-owner-full-control"),
        key("encryption", .choice(["s3", "kms", "kms-dual", "customer"]), "how objects are encrypted at rest"),
        key("kmsKeyId", .text, "the KMS key; the account's own if left out"),
        key("bucketKey", .boolean, "whether a bucket key saves calls to KMS"),
        key("customerKey", .secret, "32 bytes in base64, for encryption 'customer'"),
        key(
            "objectLock", .choice(S3ObjectSettings.LockMode.allCases.map(\.rawValue)),
            "the mode of the objects' retention; needs objectLockFor"),
        key("objectLockFor", .duration(60...(100 * 365 * 86_400)), "how long objects cannot be removed"),
        key("legalHold", .boolean, "whether objects are put under legal hold"),
        key("requesterPays", .boolean, "whether this account pays for requests to somebody else's bucket"),
    ]
}
