import Crypto
import Foundation
import Uploads

/// What an ETag says of the bytes that were sent. Values in, a judgement out.
enum S3Evidence: Hashable, Sendable {
    /// It is the MD5 of what was sent.
    case proved
    /// It is another, or none that could be one: encrypted objects have such, and those of some servers.
    case nothing
    /// It is another, where ETags are said to be MD5.
    case contradicted

    /// - Parameters:
    ///   - etag: as the server gave it.
    ///   - expected: what it is where it is the MD5, in hexadecimal and without quotes; nil where that is not known.
    init(_ etag: String?, expected: String?, meaning: S3Configuration.ETagMeaning?) {
        guard let expected, meaning != .opaque else {
            self = .nothing
            return
        }
        self = etag.map(Self.bare) == expected ? .proved : meaning == .md5 ? .contradicted : .nothing
    }

    /// An ETag that may be an MD5, in hexadecimal; nil for another one.
    static func md5(_ etag: String) -> String? {
        let bare = bare(etag)
        return bare.utf8.count == 32 && bare.utf8.allSatisfy(isHexadecimal) ? bare : nil
    }

    private static func bare(_ etag: String) -> String { etag.trimmingCharacters(in: ["\""]).lowercased() }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    /// The ETag of an object of parts: the MD5 of their MD5, one behind the other as bytes, and how many they are.
    /// - Parameter parts: in hexadecimal.
    /// - Returns: nil where one of them is no MD5.
    static func composite(_ parts: [String]) -> String? {
        var whole = Insecure.MD5()
        for part in parts {
            guard let md5 = md5(part), let bytes = Data(hexadecimal: md5) else { return nil }
            whole.update(data: bytes)
        }
        return "\(Hexadecimal.text(of: whole.finalize()))-\(parts.count)"
    }
}
