public import UploadDestinations
import Uploads

/// A destination of the driver `s3` as the configuration names it.
public struct S3Settings: Hashable, Sendable {
    /// Everything but secrets.
    public var configuration: S3Configuration
    public var accessKeyID: Secret?
    public var secretAccessKey: Secret?
    public var sessionToken: Secret?
    public var profile: String?
    /// 32 bytes in base64.
    public var customerKey: Secret?
    public var route: HTTPRoute

    /// - Throws: `configuration` for keys that are missing or contradict each other.
    init(_ base: String, _ settings: Settings) throws(ProgramError) {
        func text(_ key: String) -> String? { settings.text("\(base).\(key)") }
        func flag(_ key: String) -> Bool { text(key) == "true" }
        func problem(_ key: String, _ text: String) -> ProgramError {
            ProgramError(.configuration, "\(settings.place("\(base).\(key)")): \(text)")
        }
        configuration = S3Configuration(
            endpoint: text("endpoint"), region: text("region"),
            bucket: try settings.needed("\(base).bucket", settings.text), prefix: text("prefix") ?? "",
            addressing: text("addressing").flatMap(S3Configuration.Addressing.init(rawValue:)))
        configuration.checksum = text("checksum").flatMap(S3Configuration.Checksum.init(rawValue:)) ?? .crc64nvme
        configuration.conditions = text("conditions").flatMap(S3Configuration.Conditions.init(rawValue:))
        configuration.etag = text("etag").flatMap(S3Configuration.ETagMeaning.init(rawValue:))
        configuration.signsPayload = flag("signPayload")
        configuration.partBytes = try settings.partBytes(base) ?? configuration.partBytes
        configuration.partCountMaximum = settings.integer("\(base).partCount") ?? configuration.partCountMaximum
        configuration.multipartThresholdBytes =
            settings.bytes("\(base).multipartThreshold") ?? configuration.multipartThresholdBytes
        configuration.times = HTTPTimes(base, settings)
        configuration.tls = try settings.tls(base)
        route = HTTPRoute(base, settings)

        accessKeyID = settings.secret("\(base).accessKeyId")
        secretAccessKey = settings.secret("\(base).secretAccessKey")
        sessionToken = settings.secret("\(base).sessionToken")
        profile = text("profile")
        guard (accessKeyID == nil) == (secretAccessKey == nil) else {
            let key = accessKeyID == nil ? "secretAccessKey" : "accessKeyId"
            throw problem(key, "accessKeyId and secretAccessKey belong together; give both or neither")
        }
        guard sessionToken == nil || accessKeyID != nil else {
            throw problem("sessionToken", "goes with accessKeyId and secretAccessKey; give them, too")
        }
        guard profile == nil || accessKeyID == nil else {
            throw problem("profile", "stands beside accessKeyId; give one of them")
        }

        customerKey = settings.secret("\(base).customerKey")
        var object = S3ObjectSettings()
        object.properties.cacheControl = text("cacheControl")
        object.properties.contentDisposition = text("contentDisposition")
        object.properties.contentEncoding = text("contentEncoding")
        object.properties.contentLanguage = text("contentLanguage")
        object.metadata = settings.texts(below: "\(base).metadata")
        object.properties.tags = settings.texts(below: "\(base).tags")
        object.properties.storageClass = text("storageClass")
        object.acl = text("acl")
        object.isUnderLegalHold = flag("legalHold")
        object.isRequesterPays = flag("requesterPays")
        object.lockMode = text("objectLock").flatMap(S3ObjectSettings.LockMode.init(rawValue:))
        object.lockSeconds = settings.seconds("\(base).objectLockFor")
        guard (object.lockMode == nil) == (object.lockSeconds == nil) else {
            let key = object.lockMode == nil ? "objectLockFor" : "objectLock"
            throw problem(key, "objectLock and objectLockFor belong together; give both or neither")
        }
        let encryption = text("encryption")
        switch encryption {
        case "s3": object.encryption = .managed
        case "kms", "kms-dual":
            object.encryption = .kms(
                keyID: text("kmsKeyId"), isDual: encryption == "kms-dual", usesBucketKey: flag("bucketKey"))
        default: break
        }
        if encryption?.hasPrefix("kms") != true, let key = ["kmsKeyId", "bucketKey"].first(where: { text($0) != nil }) {
            throw problem(key, "goes with encryption 'kms' or 'kms-dual'; set it, or remove this")
        }
        guard (encryption == "customer") == (customerKey != nil) else {
            throw problem(
                customerKey == nil ? "encryption" : "customerKey",
                "encryption 'customer' and customerKey belong together; give both or neither")
        }
        configuration.object = object
    }
}
