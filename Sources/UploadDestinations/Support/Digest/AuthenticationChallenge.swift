import NIOHTTP1

/// One challenge of a `WWW-Authenticate` header: a scheme and its parameters (RFC 9110, section 11.3).
struct AuthenticationChallenge: Hashable, Sendable {
    /// In lower case.
    var scheme: String
    /// Values by name in lower case; if a name occurs several times, the first value.
    var parameters: [String: String] = [:]

    /// The most bytes of a header that are parsed.
    private static let bytesMaximum = 8192

    /// All challenges of an answer, in its order. There may be several headers with several challenges each.
    static func all(in headers: HTTPHeaders) -> [AuthenticationChallenge] {
        headers["www-authenticate"].flatMap { parse($0.utf8.count <= bytesMaximum ? $0 : "") }
    }

    /// Parses a header; anything that is not a challenge is left out.
    static func parse(_ text: String) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        var rest = Substring(text)
        func skip(_ characters: Set<Character>) { rest = rest.drop { characters.contains($0) } }
        while true {
            skip([" ", "\t", ","])
            guard !rest.isEmpty else { return challenges }
            let word = rest.prefix { !" \t,=\"".contains($0) }
            rest = rest.dropFirst(word.count)
            skip([" ", "\t"])
            guard rest.first == "=", !challenges.isEmpty, !word.isEmpty else {
                // A word after a scheme that is not a parameter, such as a token, belongs to a scheme that this driver does not know.
                if word.isEmpty { rest = rest.dropFirst() } else { challenges.append(.init(scheme: word.lowercased())) }
                continue
            }
            rest = rest.dropFirst()
            skip([" ", "\t"])
            let value = takeValue(&rest)
            let name = word.lowercased()
            let last = challenges.count - 1
            if challenges[last].parameters[name] == nil { challenges[last].parameters[name] = value }
        }
    }

    /// A token, or a quoted string (RFC 9110, section 5.6.4).
    private static func takeValue(_ rest: inout Substring) -> String {
        guard rest.first == "\"" else {
            let token = rest.prefix { $0 != "," && $0 != " " && $0 != "\t" }
            rest = rest.dropFirst(token.count)
            return String(token)
        }
        rest = rest.dropFirst()
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            value.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        return value
    }
}
