import Foundation
import Uploads

/// Texts that must not be shown, even where a server repeats them.
struct HTTPSecrets: Sendable {
    private let texts: [String]

    /// Fewest bytes of a text that is hidden: `secret` for a text whose name marks it as secret, `other` for one that may be secret.
    /// Shorter texts occur in any other text.
    private static let bytesMinimum = (secret: 3, other: 8)

    /// - Parameters:
    ///   - headers: the configured headers; their values are secret, and so is the part of an `Authorization` after its scheme.
    ///   - url: its query, the query's values, and its password are secret.
    ///   - more: other secrets.
    init(headers: [String: String], url: String, more: [String] = []) {
        var secrets = headers.flatMap { name, value in
            Self.parts(name, value).filter { Self.mayBeSecret($0, named: name, isHeader: true) }
        }
        secrets += more.filter { $0.utf8.count >= Self.bytesMinimum.secret }
        if url.utf8.contains(UInt8(ascii: "?")) {
            let query = url.dropping(bytes: url.bytePrefix(upTo: "?").utf8.count + 1).bytePrefix(upTo: "#")
            secrets.append(query)
            for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
                let words = pair.split(separator: UInt8(ascii: "="), maxSplits: 1).map { String(Substring($0)) }
                guard let value = words.last else { continue }
                secrets += [value, value.removingPercentEncoding ?? ""].filter {
                    Self.mayBeSecret($0, named: words.count > 1 ? words[0] : "")
                }
            }
        }
        if let components = URLComponents(string: url) {
            secrets += [components.percentEncodedPassword, components.password].compactMap { $0 }
        }
        texts = Set(secrets.filter { !$0.isEmpty }.flatMap(Self.spellings)).sorted { $0.utf8.count > $1.utf8.count }
    }

    private static let secretNames = [
        "auth", "cookie", "credential", "key", "pass", "secret", "session", "sig", "token",
    ]

    private static let harmlessHeaders: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "content-disposition", "content-encoding",
        "content-language", "content-type", "user-agent",
    ]

    private static func mayBeSecret(_ text: String, named name: String, isHeader: Bool = false) -> Bool {
        let name = name.lowercased()
        let isSecret = secretNames.contains { name.contains($0) } || (isHeader && !harmlessHeaders.contains(name))
        return text.utf8.count >= (isSecret ? bytesMinimum.secret : bytesMinimum.other)
    }

    /// The spellings in which a server may repeat a secret: XML and HTML escape ampersands; JSON escapes by RFC 8259, section 7, and some
    /// servers also escape slashes and everything beyond ASCII; URLs escape reserved characters.
    private static func spellings(_ secret: String) -> [String] {
        func json(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
            var text = ""
            for scalar in secret.unicodeScalars {
                switch scalar {
                case "\"": text += "\\\""
                case "\\": text += "\\\\"
                case "\n": text += "\\n"
                case "\r": text += "\\r"
                case "\t": text += "\\t"
                case "/" where isEscaped(scalar): text += "\\/"
                case _ where scalar.value < 0x20 || (scalar.value > 0x7E && isEscaped(scalar)):
                    for unit in String(scalar).utf16 {
                        let digits = String(unit, radix: 16)
                        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                    }
                default: text.unicodeScalars.append(scalar)
                }
            }
            return text
        }
        return [
            secret, secret.replacing(exactly: "&", with: "&amp;"), secret.replacing(exactly: "/", with: "\\/"),
            json { _ in false }, json { $0.value > 0x7E }, json { _ in true }, URLKey.escape(secret),
        ]
    }

    /// The secrets in a header: its value, the credential in one such as `Client-ID …`, and the password in one of Basic (RFC 7617).
    private static func parts(_ name: String, _ value: String) -> [String] {
        let words = value.split(separator: " ", maxSplits: 1).map(String.init)
        guard name.lowercased().hasSuffix("authorization"), words.count == 2 else { return [value] }
        let pair = words[0].lowercased() == "basic" ? Data(base64Encoded: words[1]) : nil
        let password = pair.map { String(decoding: $0, as: UTF8.self) }?.split(separator: ":", maxSplits: 1).last
        return [value, words[1]] + (password.map { [String($0)] } ?? [])
    }

    /// The part of an answer that may be kept: chosen headers and the beginning of the body, with every secret hidden.
    func shown(_ reply: HTTPReply) -> ServerResponse {
        var response = reply.response
        guard !texts.isEmpty else { return response }
        for (name, value) in response.headers {
            response.headers[name] = blotted(value, isValue: Self.values.contains(name))
        }
        response.body = response.body.map(blotted)
        if !reply.isWhole { response.body = response.body.map(withoutBeginnings) }
        return response
    }

    /// Hides the beginning of a secret at the end of a text that was cut off.
    private func withoutBeginnings(_ text: String) -> String {
        let scalars = text.unicodeScalars
        for secret in texts.map(\.unicodeScalars) {
            for count in stride(from: min(secret.count - 1, scalars.count), through: 4, by: -1)
            where scalars.suffix(count).elementsEqual(secret.prefix(count)) {
                return String(scalars.dropLast(count)) + "[hidden]"
            }
        }
        return text
    }

    /// Headers whose values programs read: a short secret may occur in them by chance.
    private static let values: Set<String> = [
        "content-length", "content-md5", "date", "etag", "last-modified", "repr-digest", "retry-after",
        "x-amz-checksum-crc64nvme", "x-amz-checksum-sha256", "x-amz-version-id",
    ]

    func blotted(_ text: String) -> String { blotted(text, isValue: false) }

    private func blotted(_ text: String, isValue: Bool) -> String {
        texts.reduce(text) { text, secret in
            isValue && secret.utf8.count < Self.bytesMinimum.other
                ? text : text.replacing(exactly: secret, with: "[hidden]")
        }
    }
}
