import Crypto
import Foundation
import NIOHTTP1
import Uploads

/// A challenge for Digest authentication (RFC 7616, section 3.3), and the answer to it (section 3.4).
struct HTTPDigestChallenge: Hashable, Sendable {
    enum Algorithm: String, Sendable {
        case md5 = "md5"
        case md5Session = "md5-sess"
        case sha256 = "sha-256"
        case sha256Session = "sha-256-sess"

        /// The name as the answer to the challenge writes it.
        var name: String { rawValue.uppercased().replacing("-SESS", with: "-sess") }
        var isOfSession: Bool { self == .md5Session || self == .sha256Session }

        func hash(_ text: String) -> String {
            let bytes = Data(text.utf8)
            return switch self {
            case .md5, .md5Session: Hexadecimal.text(of: Insecure.MD5.hash(data: bytes))
            case .sha256, .sha256Session: Hexadecimal.text(of: SHA256.hash(data: bytes))
            }
        }
    }

    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: Algorithm
    /// Whether the server refused only the nonce, not the user and password.
    let isStale: Bool
    /// Whether the answer counts the uses of the nonce (`qop=auth`); otherwise the answer follows RFC 2069.
    let counts: Bool

    /// - Returns: nil for a challenge that cannot be answered: one with an unknown algorithm, or one that wants the body to be signed
    ///   (`auth-int`).
    init?(_ challenge: AuthenticationChallenge) {
        guard challenge.scheme == "digest", let realm = challenge.parameters["realm"],
            let nonce = challenge.parameters["nonce"], !nonce.isEmpty
        else { return nil }
        guard let algorithm = Algorithm(rawValue: challenge.parameters["algorithm"]?.lowercased() ?? "md5") else {
            return nil
        }
        let ways = challenge.parameters["qop"]?.split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        guard ways?.contains("auth") ?? true else { return nil }
        self.realm = realm
        self.nonce = nonce
        opaque = challenge.parameters["opaque"]
        self.algorithm = algorithm
        isStale = challenge.parameters["stale"]?.lowercased() == "true"
        counts = ways != nil
    }

    /// The best challenge of an answer: SHA-256 before MD5.
    static func best(of headers: HTTPHeaders) -> HTTPDigestChallenge? {
        let known = AuthenticationChallenge.all(in: headers).compactMap(HTTPDigestChallenge.init)
        return known.first { [.sha256, .sha256Session].contains($0.algorithm) } ?? known.first
    }

    /// The value of `Authorization`.
    /// - Parameters:
    ///   - target: path and query, as the request line has them.
    ///   - count: how often the nonce has been used, including this use; from 1.
    ///   - clientNonce: a new one for each use.
    func authorization(
        _ login: HTTPDigestLogin, _ method: HTTPMethod, _ target: String, count: UInt32, clientNonce: String
    ) -> String {
        var secret = algorithm.hash("\(login.user):\(realm):\(login.password)")
        if algorithm.isOfSession { secret = algorithm.hash("\(secret):\(nonce):\(clientNonce)") }
        let request = algorithm.hash("\(method.rawValue):\(target)")
        let digits = String(count, radix: 16)
        let number = String(repeating: "0", count: 8 - digits.count) + digits
        let response = algorithm.hash(
            counts ? "\(secret):\(nonce):\(number):\(clientNonce):auth:\(request)" : "\(secret):\(nonce):\(request)")
        var fields = [
            userField(login.user), "realm=\(Self.quoted(realm))", "nonce=\(Self.quoted(nonce))",
            "uri=\(Self.quoted(target))", "algorithm=\(algorithm.name)", "response=\"\(response)\"",
        ]
        if let opaque { fields.append("opaque=\(Self.quoted(opaque))") }
        if counts { fields += ["qop=auth", "nc=\(number)"] }
        if counts || algorithm.isOfSession { fields.append("cnonce=\"\(clientNonce)\"") }
        return "Digest " + fields.joined(separator: ", ")
    }

    /// `username`, or `username*` for a name that is not ASCII (RFC 7616, section 3.4; RFC 8187).
    private func userField(_ user: String) -> String {
        guard user.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) else {
            return "username*=UTF-8''\(URLKey.escape(user).replacing("/", with: "%2F"))"
        }
        return "username=\(Self.quoted(user))"
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing(exactly: "\\", with: "\\\\").replacing(exactly: "\"", with: "\\\""))\""
    }
}
