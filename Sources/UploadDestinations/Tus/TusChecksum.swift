import Crypto
import Foundation
import Uploads

/// The algorithm with which a server checks a part (tus 1.0, "Checksum"); the strongest first.
enum TusChecksum: String, CaseIterable, Sendable {
    case sha256, sha1, md5

    /// The value of `Upload-Checksum`. A known digest is used; otherwise the range is read once more before it is sent.
    /// - Throws: `invalidFile`, `sourceChanged`.
    func value(
        of range: Range<Int64>, from source: any UploadSource, _ job: UploadJob
    ) async throws(UploadError) -> String {
        let digest: Data
        if self == .sha256, range == 0..<job.size, let known = job.digests.sha256.flatMap(Data.init(hexadecimal:)) {
            digest = known
        } else {
            switch self {
            case .sha256: digest = try await SourceDigest.read(SHA256(), of: range, from: source)
            case .sha1: digest = try await SourceDigest.read(Insecure.SHA1(), of: range, from: source)
            case .md5: digest = try await SourceDigest.read(Insecure.MD5(), of: range, from: source)
            }
        }
        return "\(rawValue) \(digest.base64EncodedString())"
    }
}
