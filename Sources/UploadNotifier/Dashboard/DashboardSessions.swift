import Crypto
import Foundation
import Synchronization

/// The sessions of users who signed in with a token. A session is a signed cookie (its end, the token's name, a random number, and
/// the HMAC-SHA256 of all three under a key that is made from the token). It does not hold the token, and only sessions that were
/// signed out are kept here. A new token ends the sessions of the old one; a restart ends none.
final class DashboardSessions: Sendable {
    /// 12 hours.
    static let lifetime: TimeInterval = 12 * 3600
    private static let signedOutMaximum = 10_000
    private static let bytesMaximum = 400

    private let signedOut = Mutex<[String: Int64]>([:])

    /// Made from the address that the browser names, because cookies do not distinguish ports: several notifiers of one host need
    /// cookies with different names.
    static func cookieName(_ authority: String?) -> String {
        let digest = SHA256.hash(data: Data((authority ?? "").lowercased().utf8))
        return "longshore-" + hex(Array(digest).prefix(4))
    }

    func begin(_ token: APIToken, at now: Date) -> String? {
        guard let text = token.texts.first else { return nil }
        let end = Int64(now.timeIntervalSince1970 + Self.lifetime)
        let number = Self.hex((0..<16).map { _ in UInt8.random(in: 0...255) }[...])
        let session = "\(end).\(Self.hex(Array(token.name.utf8)[...])).\(number)"
        return "\(session).\(Self.hex(Array(Self.code(session, text))[...]))"
    }

    /// The token with which the session was begun, if that token and the session are still valid. Compares in constant time.
    func token(of session: String, among access: APIAccess, at now: Date) -> APIToken? {
        guard let (end, token) = Self.read(session, access), Double(end) > now.timeIntervalSince1970,
            signedOut.withLock({ $0[session] }) == nil
        else { return nil }
        return token
    }

    /// Ends the session for every holder of a copy of its cookie.
    func end(_ session: String, among access: APIAccess, at now: Date) {
        guard let (end, _) = Self.read(session, access) else { return }
        signedOut.withLock { signedOut in
            signedOut = signedOut.filter { Double($0.value) > now.timeIntervalSince1970 }
            if signedOut.count >= Self.signedOutMaximum, let first = signedOut.min(by: { $0.value < $1.value }) {
                signedOut[first.key] = nil
            }
            signedOut[session] = end
        }
    }

    /// The session's end, in seconds since 1970, and its token; nil for a session that was not signed with a valid one.
    private static func read(_ session: String, _ access: APIAccess) -> (Int64, APIToken)? {
        guard session.utf8.count <= bytesMaximum else { return nil }
        let parts = session.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let code = bytes(parts[3]), code.count == SHA256.byteCount,
            let name = bytes(parts[1]), let token = access.token(named: String(decoding: name, as: UTF8.self)),
            let end = Int64(parts[0])
        else { return nil }
        let signed = Data(parts[0...2].joined(separator: ".").utf8)
        let isValid = token.texts.contains { text in
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: key(text))
        }
        return isValid ? (end, token) : nil
    }

    private static func code(_ session: String, _ text: String) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Data(session.utf8), using: key(text))
    }

    private static func key(_ text: String) -> SymmetricKey {
        SymmetricKey(
            data: HMAC<SHA256>.authenticationCode(
                for: Data("longshore dashboard session v2".utf8), using: SymmetricKey(data: Data(text.utf8))))
    }

    private static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }

    private static func bytes(_ hex: Substring) -> [UInt8]? {
        let digits = Array(hex.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}
