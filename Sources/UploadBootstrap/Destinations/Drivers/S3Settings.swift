import Foundation
import UploadDestinations
import Uploads

/// A destination of the driver `s3`: a bucket.
struct S3Settings: DriverSettings {
    static let driverName = S3Destination.driverName

    static let keys: [ConfigurationKey] = place + credentials + transfer + object + ConfigurationKey.connection

    private static let place: [ConfigurationKey] = [
        .destination("endpoint", .url(schemes: ["https", "http"]), "the server; AWS if left out"),
        .destination(
            "region", .text, "the bucket's region; if left out AWS_REGION where the server is AWS, else us-east-1"),
        .destination("bucket", .text, "the bucket, which must exist"),
        .destination("prefix", .text, "the prefix of all keys, such as incoming/"),
        .destination(
            "addressing", .choice(S3Configuration.Addressing.allCases.map(\.rawValue)),
            "where requests name the bucket: in the path (usual with an endpoint), or in the host (virtual)"),
    ]

    private static let credentials: [ConfigurationKey] = [
        .destination("accessKeyId", .secret, "the access key; the AWS provider chain if left out"),
        .destination("secretAccessKey", .secret, "the secret of accessKeyId"),
        .destination("sessionToken", .secret, "the token of temporary credentials"),
        .profile,
    ]

    private static let transfer: [ConfigurationKey] = [
        .destination(
            "checksum", .choice(S3Configuration.Checksum.allCases.map(\.rawValue)),
            standard: S3Configuration.Checksum.crc64nvme.rawValue, "the checksum that the server checks parts with"),
        .destination(
            "conditions", .choice(S3Configuration.Conditions.allCases.map(\.rawValue)),
            "the writes for which the server obeys a condition; if left out all at AWS, unknown elsewhere"),
        .destination(
            "etag", .choice(S3Configuration.ETagMeaning.allCases.map(\.rawValue)),
            "md5 where an ETag is the MD5 of the bytes, so that a different ETag is a failure; opaque where it never is"
        ),
        .destination(
            "signPayload", .boolean, standard: "false", "whether bodies are signed too; costs a second read"),
        .partSize,
        .destination(
            "partCount", .integer(1...10_000), standard: "10000", "the most parts that the server takes"),
        .destination(
            "multipartThreshold", .bytes(0...(5 << 30)), standard: "16MiB", "larger files go up in parts"),
    ]

    private static let object: [ConfigurationKey] = [
        .destination("cacheControl", .text, "Cache-Control of objects"),
        .destination("contentDisposition", .text, "Content-Disposition of objects"),
        .destination("contentEncoding", .text, "Content-Encoding of objects"),
        .destination("contentLanguage", .text, "Content-Language of objects"),
        .destination("metadata.*", .text, "metadata of every object"),
        .destination("tags.*", .text, "a tag of every object"),
        .destination("storageClass", .text, "such as STANDARD_IA; the bucket's own if left out"),
        .destination("acl", .text, "a canned ACL, such as bucket-owner-full-control"),
        .destination(
            "encryption", .choice(["s3", "kms", "kms-dual", "customer"]), "how objects are encrypted at rest"),
        .destination("kmsKeyId", .text, "the KMS key; the account's own if left out"),
        .destination("bucketKey", .boolean, standard: "false", "whether a bucket key saves calls to KMS"),
        .destination("customerKey", .secret, "32 bytes in base64, for encryption 'customer'"),
        .destination(
            "objectLock", .choice(S3ObjectSettings.LockMode.allCases.map(\.rawValue)),
            "the mode of the objects' retention; needs objectLockFor"),
        .destination("objectLockFor", .duration(60...(100 * 365 * 86_400)), "how long objects cannot be removed"),
        .destination("legalHold", .boolean, standard: "false", "whether objects are put under legal hold"),
        .destination(
            "requesterPays", .boolean, standard: "false",
            "whether this account pays for requests to a bucket of another account"),
    ]

    /// Everything but secrets and limits.
    var configuration: S3Configuration
    var accessKeyID: Secret?
    var secretAccessKey: Secret?
    var sessionToken: Secret?
    var profile: String?
    /// 32 bytes in base64.
    var customerKey: Secret?
    var route: HTTPRoute

    init(_ section: SettingsSection) throws(ProgramError) {
        configuration = S3Configuration(
            endpoint: section.text("endpoint"), region: section.text("region"), bucket: try section.needed("bucket"),
            prefix: section.text("prefix") ?? "",
            addressing: section.text("addressing").flatMap(S3Configuration.Addressing.init(rawValue:)))
        configuration.checksum =
            section.text("checksum").flatMap(S3Configuration.Checksum.init(rawValue:)) ?? .crc64nvme
        configuration.conditions = section.text("conditions").flatMap(S3Configuration.Conditions.init(rawValue:))
        configuration.etag = section.text("etag").flatMap(S3Configuration.ETagMeaning.init(rawValue:))
        configuration.signsPayload = section.isTrue("signPayload")
        configuration.partBytes = try section.partBytes() ?? configuration.partBytes
        configuration.partCountMaximum = section.integer("partCount") ?? configuration.partCountMaximum
        configuration.multipartThresholdBytes =
            section.bytes("multipartThreshold") ?? configuration.multipartThresholdBytes
        configuration.times = HTTPTimes(section)
        configuration.tls = try section.tls()
        route = HTTPRoute(section)

        accessKeyID = section.secret("accessKeyId")
        secretAccessKey = section.secret("secretAccessKey")
        sessionToken = section.secret("sessionToken")
        profile = section.text("profile")
        guard (accessKeyID == nil) == (secretAccessKey == nil) else {
            let key = accessKeyID == nil ? "secretAccessKey" : "accessKeyId"
            throw section.problem(key, "accessKeyId and secretAccessKey belong together; give both or neither")
        }
        guard sessionToken == nil || accessKeyID != nil else {
            throw section.problem("sessionToken", "goes with accessKeyId and secretAccessKey; give them, too")
        }
        guard profile == nil || accessKeyID == nil else {
            throw section.problem("profile", "stands beside accessKeyId; give one of them")
        }
        customerKey = section.secret("customerKey")
        configuration.object = try Self.object(section)
    }

    /// The settings that every object of the bucket gets.
    private static func object(_ section: SettingsSection) throws(ProgramError) -> S3ObjectSettings {
        var object = S3ObjectSettings()
        object.properties.cacheControl = section.text("cacheControl")
        object.properties.contentDisposition = section.text("contentDisposition")
        object.properties.contentEncoding = section.text("contentEncoding")
        object.properties.contentLanguage = section.text("contentLanguage")
        object.metadata = section.texts(below: "metadata")
        object.properties.tags = section.texts(below: "tags")
        object.properties.storageClass = section.text("storageClass")
        object.acl = section.text("acl")
        object.isUnderLegalHold = section.isTrue("legalHold")
        object.isRequesterPays = section.isTrue("requesterPays")
        object.lockMode = section.text("objectLock").flatMap(S3ObjectSettings.LockMode.init(rawValue:))
        object.lockSeconds = section.seconds("objectLockFor")
        guard (object.lockMode == nil) == (object.lockSeconds == nil) else {
            let key = object.lockMode == nil ? "objectLockFor" : "objectLock"
            throw section.problem(key, "objectLock and objectLockFor belong together; give both or neither")
        }
        let encryption = section.text("encryption")
        switch encryption {
        case "s3": object.encryption = .managed
        case "kms", "kms-dual":
            object.encryption = .kms(
                keyID: section.text("kmsKeyId"), isDual: encryption == "kms-dual",
                usesBucketKey: section.isTrue("bucketKey"))
        default: break
        }
        if encryption?.hasPrefix("kms") != true, let key = ["kmsKeyId", "bucketKey"].first(where: section.has) {
            throw section.problem(key, "goes with encryption 'kms' or 'kms-dual'; set it, or remove this")
        }
        let hasCustomerKey = section.has("customerKey")
        guard (encryption == "customer") == hasCustomerKey else {
            throw section.problem(
                hasCustomerKey ? "customerKey" : "encryption",
                "encryption 'customer' and customerKey belong together; give both or neither")
        }
        return object
    }
}

extension S3Settings {
    /// The destination reads access keys from files again when these change.
    func destination(_ context: DestinationContext) throws(ProgramError) -> any Destination {
        var bucket = configuration
        bucket.limits = context.limits
        if let customerKey {
            let text = try context.resolve(customerKey, "customerKey")
            guard let key = Data(base64Encoded: text), key.count == 32 else {
                throw context.problem("customerKey", "expected 32 bytes in base64")
            }
            bucket.object.encryption = .customer(key: key)
        }
        if bucket.endpoint == nil {
            bucket.region =
                bucket.region ?? context.environment["AWS_REGION"] ?? context.environment["AWS_DEFAULT_REGION"]
        }
        let provider = try credentials(context, region: bucket.region)
        let client = try context.client(route)
        let connections = context.clients.connections(route)
        return try context.make(blaming: "endpoint") { [bucket] () throws(UploadError) in
            try S3Destination(bucket, credentials: provider, client: client, connections: connections)
        }
    }

    private func credentials(
        _ context: DestinationContext, region: String?
    ) throws(ProgramError) -> any AWSCredentialsProvider {
        guard let accessKeyID, let secretAccessKey else {
            // Metadata services are not asked through a proxy.
            let client = try context.client(HTTPRoute())
            guard let profile else {
                return CredentialsChain.aws(environment: context.environment, region: region, client: client)
            }
            let chosen = context.environment.merging(["AWS_PROFILE": profile]) { $1 }
            return CredentialsChain([ProfileCredentials(environment: chosen, region: region, client: client)])
        }
        let read: @Sendable () throws(ProgramError) -> AWSCredentials = {
            [sessionToken] () throws(ProgramError) -> AWSCredentials in
            let token: String? =
                if let sessionToken { try context.resolve(sessionToken, "sessionToken") } else { nil }
            return AWSCredentials(
                accessKeyID: try context.resolve(accessKeyID, "accessKeyId"),
                secretAccessKey: try context.resolve(secretAccessKey, "secretAccessKey"), sessionToken: token)
        }
        // A key that is missing at the start is a mistake; one that vanishes later may come back.
        _ = try read()
        return ReferencedCredentials(place: context.keyPath("accessKeyId")) { () throws(UploadError) in
            do throws(ProgramError) {
                return try read()
            } catch {
                throw UploadError(.misconfigured, error.description, retry: .afterBackoff)
            }
        }
    }
}
