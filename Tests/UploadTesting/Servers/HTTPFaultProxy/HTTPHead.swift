import Glibc

/// The head of a request or of an answer.
struct HTTPHead {
    /// The way in which a body ends.
    enum Framing: Equatable {
        case none
        case bytes(Int)
        case chunked
        case untilClose
    }

    /// The three words of its first line; the last word of an answer may be empty.
    let words: [String]
    var fields: [(name: String, value: String)]

    /// - Returns: nil for an invalid head.
    init?(_ text: String) {
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
        guard let first = lines.first else { return nil }
        var words = first.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        if words.count == 2 { words.append("") }
        guard words.count == 3 else { return nil }
        self.words = words
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            var value = line[line.index(after: colon)...]
            while value.first == " " || value.first == "\t" { value.removeFirst() }
            return (String(line[..<colon]), String(value))
        }
    }

    var status: Int { Int(words[1]) ?? 0 }

    func value(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }

    var requestFraming: Framing {
        if value("transfer-encoding")?.lowercased().contains("chunked") == true { return .chunked }
        return value("content-length").flatMap { Int($0) }.map { .bytes($0) } ?? .none
    }

    func answerFraming(to method: String) -> Framing {
        if method == "HEAD" || status == 204 || status == 304 || status < 200 { return .none }
        let framing = requestFraming
        return framing == .none ? .untilClose : framing
    }

    /// Whether the body has at most 4 KiB.
    var hasSmallBody: Bool { if case .bytes(...4096) = requestFraming { true } else { false } }

    var wantsContinue: Bool { value("expect")?.lowercased() == "100-continue" }

    var isLast: Bool {
        let connection = value("connection")?.lowercased() ?? ""
        let version = words[0].hasPrefix("HTTP/") ? words[0] : words[2]
        return connection.contains("close") || (version == "HTTP/1.0" && !connection.contains("keep-alive"))
    }

    /// The head for the server: in origin form, without the fields that are meant for a proxy.
    var forwarded: String {
        let first = [words[0], Self.originForm(words[1]), words[2]].joined(separator: " ")
        let kept = fields.filter { !$0.name.lowercased().hasPrefix("proxy-") }.map { "\($0.name): \($0.value)" }
        return ([first] + kept).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// The port of an absolute-form target.
    var targetPort: Int? {
        guard words[1].hasPrefix("http://") else { return nil }
        let authority = words[1].dropFirst(7).prefix { $0 != "/" && $0 != "?" }
        guard let colon = authority.lastIndex(of: ":") else { return 80 }
        return Int(authority[authority.index(after: colon)...])
    }

    static func originForm(_ target: String) -> String {
        guard target.hasPrefix("http://") else { return target }
        let rest = target.dropFirst(7).drop { $0 != "/" && $0 != "?" }
        return rest.hasPrefix("/") ? String(rest) : "/" + rest
    }
}
