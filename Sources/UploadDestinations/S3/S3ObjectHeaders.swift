import Crypto
import Foundation
import Uploads

/// The headers that decide how an object is stored (PutObject and CreateMultipartUpload, Amazon S3 API Reference).
struct S3ObjectHeaders: Sendable {
    typealias Header = (name: String, value: String)

    let settings: S3ObjectSettings

    /// Headers for the requests about one object, reads included: the customer's key, and the payer. A header for *every*
    /// request, those about the bucket too, belongs into `S3Client.exchange`.
    var ofObjectRequests: [Header] {
        let payer: [Header] = settings.isRequesterPays ? [("x-amz-request-payer", "requester")] : []
        return payer + customerKey("x-amz-server-side-encryption-customer")
    }

    /// Headers that a copy needs, too, to read the copied object.
    var ofCopySource: [Header] { customerKey("x-amz-copy-source-server-side-encryption-customer") }

    private func customerKey(_ name: String) -> [Header] {
        guard case .customer(let key) = settings.encryption else { return [] }
        return [
            ("\(name)-algorithm", "AES256"), ("\(name)-key", key.base64EncodedString()),
            ("\(name)-key-md5", Data(Insecure.MD5.hash(data: key)).base64EncodedString()),
        ]
    }

    /// Headers of the request that creates the object or the multipart upload.
    /// - Throws: `rejected` when the metadata is larger than S3 allows.
    func ofCreation(_ target: S3Target, now: Date = Date()) throws(UploadError) -> [Header] {
        let job = target.job
        var headers: [Header] = [("content-type", job.contentType)]
        func add(_ name: String, _ value: String?) {
            if let value { headers.append((name, value)) }
        }
        let properties = job.properties.merging(over: settings.properties)
        headers += properties.headers
        add("x-amz-storage-class", properties.storageClass)
        add("x-amz-acl", settings.acl)
        if !properties.tags.isEmpty {
            let pairs = properties.tags.sorted { $0.key < $1.key }
            add(
                "x-amz-tagging",
                pairs.map { "\(S3Encoding.component($0))=\(S3Encoding.component($1))" }.joined(separator: "&"))
        }
        if let mode = settings.lockMode, let seconds = settings.lockSeconds {
            add("x-amz-object-lock-mode", mode.rawValue.uppercased())
            add(
                "x-amz-object-lock-retain-until-date",
                (now + seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: false)))
        }
        if settings.isUnderLegalHold { add("x-amz-object-lock-legal-hold", "ON") }
        return headers + encryption + (try metadata(target)) + ofObjectRequests
    }

    private var encryption: [Header] {
        switch settings.encryption {
        case .managed: return [("x-amz-server-side-encryption", "AES256")]
        case .kms(let keyID, let isDual, let usesBucketKey):
            var headers: [Header] = [("x-amz-server-side-encryption", isDual ? "aws:kms:dsse" : "aws:kms")]
            if let keyID { headers.append(("x-amz-server-side-encryption-aws-kms-key-id", keyID)) }
            if usesBucketKey { headers.append(("x-amz-server-side-encryption-bucket-key-enabled", "true")) }
            return headers
        case .customer, nil: return []
        }
    }

    private func metadata(_ target: S3Target) throws(UploadError) -> [Header] {
        let pairs = Array(settings.metadata) + Array(target.job.metadata)
        let all = Dictionary(pairs.map { ($0.key.lowercased(), $0.value) }) { $1 }
        var headers: [Header] = []
        for (name, value) in all.sorted(by: { $0.key < $1.key }) {
            let header = "x-amz-meta-" + name
            guard name.utf8.allSatisfy(Self.isNameByte), !name.isEmpty else {
                throw UploadError(
                    .rejected, "'\(name)' is no name of S3 metadata: use letters, digits, '-', '_' and '.'")
            }
            guard !target.mark.contains(where: { $0.name == header }) else { continue }
            headers.append((header, Self.encoded(value)))
        }
        headers += target.mark
        let bytes = headers.reduce(0) { $0 + $1.name.utf8.count - "x-amz-meta-".count + $1.value.utf8.count }
        guard bytes <= S3Limits.metadataBytesMaximum else {
            throw UploadError(
                .rejected,
                "the metadata has \(bytes) bytes, S3 takes \(S3Limits.metadataBytesMaximum) with Longshore's own: give less"
            )
        }
        return headers
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// The value in characters that a header can carry: everything but printable ASCII becomes an encoded word (RFC 2047, section 4.1),
    /// as S3 itself shows it.
    private static func encoded(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { (0x20...0x7e).contains($0) } && !value.hasPrefix("=?")
        return isPlain && value == value.trimmingCharacters(in: .whitespaces)
            ? value : "=?UTF-8?B?\(Data(value.utf8).base64EncodedString())?="
    }
}
