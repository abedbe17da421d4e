import Crypto
import Foundation
import Synchronization

/// The sessions of users who signed in with the token. A session is a signed cookie (its end, a random number,
/// HMAC-SHA256 of both). It does not hold the token, and only sessions that were signed out are kept here. A new token
/// ends all sessions; a restart ends none.
final class DashboardSessions: Sendable {
    /// 12 hours.
    static let lifetime: TimeInterval = 12 * 3600
    private static let signedOutMaximum = 10_000

    /// Made from the token, because cookies do not distinguish ports: several notifiers of one host need cookies with
    /// different names.
    let cookieName: String
    private let key: SymmetricKey
    private let signedOut = Mutex<[String: Int64]>([:])

    init(token: String) {
        key = SymmetricKey(
            data: HMAC<SHA256>.authenticationCode(
                for: Data("longshore dashboard session v1".utf8), using: SymmetricKey(data: Data(token.utf8))))
        let name = HMAC<SHA256>.authenticationCode(for: Data("name".utf8), using: key)
        cookieName = "longshore-" + Self.hex(Array(name).prefix(4))
    }

    func begin(at now: Date) -> String {
        let end = Int64(now.timeIntervalSince1970 + Self.lifetime)
        let number = Self.hex((0..<16).map { _ in UInt8.random(in: 0...255) }[...])
        let text = "\(end).\(number)"
        return "\(text).\(Self.hex(Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))[...]))"
    }

    /// Compares in constant time.
    func isValid(_ session: String, at now: Date) -> Bool {
        guard let end = end(of: session), Double(end) > now.timeIntervalSince1970 else { return false }
        return signedOut.withLock { $0[session] } == nil
    }

    /// Ends the session for every holder of a copy of its cookie.
    func end(_ session: String, at now: Date) {
        guard let end = end(of: session) else { return }
        signedOut.withLock { signedOut in
            signedOut = signedOut.filter { Double($0.value) > now.timeIntervalSince1970 }
            if signedOut.count >= Self.signedOutMaximum, let first = signedOut.min(by: { $0.value < $1.value }) {
                signedOut[first.key] = nil
            }
            signedOut[session] = end
        }
    }

    /// Seconds since 1970; nil for a session that was not signed with this key.
    private func end(of session: String) -> Int64? {
        let parts = session.split(separator: ".", omittingEmptySubsequences: false)
        guard session.utf8.count <= 200, parts.count == 3, let code = Self.bytes(parts[2]),
            HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: Data("\(parts[0]).\(parts[1])".utf8), using: key)
        else { return nil }
        return Int64(parts[0])
    }

    private static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }

    private static func bytes(_ hex: Substring) -> [UInt8]? {
        let digits = Array(hex.utf8)
        guard digits.count == 2 * SHA256.byteCount else { return nil }
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
