public import Foundation
public import Uploads

/// The contents of a `data:` URL (RFC 2397): `data:[<media type>][;base64],<data>`.
public struct DataURL: Hashable, Sendable {
    /// nil where the URL names none.
    public let mediaType: String?
    public let data: Data

    /// - Throws: `invalidFile` for text that is no `data:` URL.
    public init(_ text: String) throws(UploadError) {
        guard text.lowercased().hasPrefix("data:"), let comma = text.firstIndex(of: ",") else {
            throw UploadError(.invalidFile, "a data URL has the form data:[TYPE][;base64],DATA")
        }
        let head = text[text.index(text.startIndex, offsetBy: 5)..<comma]
        let body = String(text[text.index(after: comma)...])
        let isBase64 = head.lowercased().hasSuffix(";base64")
        let type = isBase64 ? String(head.dropLast(";base64".count)) : String(head)
        // A type that is left out but has parameters is text/plain (RFC 2397, section 2).
        mediaType = type.isEmpty ? nil : type.hasPrefix(";") ? "text/plain" + type : type
        if isBase64 {
            guard let unescaped = body.removingPercentEncoding,
                let data = Data(base64Encoded: unescaped, options: .ignoreUnknownCharacters)
            else { throw UploadError(.invalidFile, "the data URL's content is no base64") }
            self.data = data
        } else {
            guard let data = Self.unescape(body) else {
                throw UploadError(
                    .invalidFile, "the data URL's content has a '%' that no two hexadecimal digits follow")
            }
            self.data = data
        }
    }

    /// - Returns: the bytes, which need not be UTF-8; nil for a `%` without two hexadecimal digits.
    private static func unescape(_ text: String) -> Data? {
        var data = Data()
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                data.append(byte)
                continue
            }
            guard bytes.count >= 2, let value = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16)
            else {
                return nil
            }
            bytes = bytes.dropFirst(2)
            data.append(value)
        }
        return data
    }
}
