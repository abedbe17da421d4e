import Crypto
import Foundation
import Uploads

/// What an ETag proves about the sent bytes, decided from values alone.
enum S3Evidence: Hashable, Sendable {
    /// The ETag is the MD5 of the sent bytes.
    case proved
    /// The ETag is something else, as for encrypted objects and on some servers: it proves nothing.
    case nothing
    /// The ETag differs, although the destination says that ETags are MD5.
    case contradicted

    /// - Parameters:
    ///   - etag: the ETag from the server.
    ///   - expected: the MD5 that it should be, in hexadecimal and without quotes; nil where that is not known.
    init(_ etag: String?, expected: String?, meaning: S3Configuration.ETagMeaning?) {
        guard let expected, meaning != .opaque else {
            self = .nothing
            return
        }
        self = etag.map(Self.bare) == expected ? .proved : meaning == .md5 ? .contradicted : .nothing
    }

    /// The ETag in hexadecimal, if it may be an MD5; otherwise nil.
    static func md5(_ etag: String) -> String? {
        let bare = bare(etag)
        return bare.utf8.count == 32 && bare.utf8.allSatisfy(isHexadecimal) ? bare : nil
    }

    private static func bare(_ etag: String) -> String { etag.trimmingCharacters(in: ["\""]).lowercased() }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    /// The ETag of an object made of parts: the MD5 of the parts' MD5 bytes in order, with the number of parts.
    /// - Parameter parts: the parts' ETags in hexadecimal.
    /// - Returns: nil where one of them is not an MD5.
    static func composite(_ parts: [String]) -> String? {
        var whole = Insecure.MD5()
        for part in parts {
            guard let md5 = md5(part), let bytes = Data(hexadecimal: md5) else { return nil }
            whole.update(data: bytes)
        }
        return "\(Hexadecimal.text(of: whole.finalize()))-\(parts.count)"
    }
}
