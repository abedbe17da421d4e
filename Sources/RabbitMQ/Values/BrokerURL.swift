import Foundation

/// The parts of one broker URL, parsed here: Foundation's parser would accept forms that the broker's specification
/// does not, and does not say which part is wrong.
struct BrokerURL: Sendable {
    var address: BrokerAddress
    var user: String?
    var password: String?
    var virtualHost: String?

    init(_ text: String, which: String) throws(RabbitMQError) {
        func invalid(_ why: String) -> RabbitMQError {
            RabbitMQError(.invalidURL, "\(which) \(why): write it as \(ConnectionConfiguration.example)")
        }
        func decoded(_ part: Substring, _ name: String) throws(RabbitMQError) -> String {
            guard let plain = String(part).removingPercentEncoding, !plain.contains("\0") else {
                throw invalid("has a \(name) that is not properly percent-encoded")
            }
            return plain
        }

        guard let colon = text.range(of: "://") else { throw invalid("has no scheme amqp:// or amqps://") }
        let isTLS: Bool
        switch text[..<colon.lowerBound].lowercased() {
        case "amqp": isTLS = false
        case "amqps": isTLS = true
        default: throw invalid("has a scheme that is neither amqp nor amqps")
        }
        var rest = text[colon.upperBound...]
        if rest.contains("?") || rest.contains("#") {
            throw invalid("has a query or fragment, which means nothing here (percent-encode ? and # in a password)")
        }
        if let slash = rest.firstIndex(of: "/") {
            let path = rest[rest.index(after: slash)...]
            if path.contains("/") { throw invalid("has more than one path segment (write / in a vhost as %2F)") }
            if !path.isEmpty { virtualHost = try decoded(path, "virtual host") }
            rest = rest[..<slash]
        }
        if let at = rest.lastIndex(of: "@") {
            let login = rest[..<at]
            if let colon = login.firstIndex(of: ":") {
                user = try decoded(login[..<colon], "user")
                password = try decoded(login[login.index(after: colon)...], "password")
            } else {
                user = try decoded(login, "user")
            }
            rest = rest[rest.index(after: at)...]
        }
        var host = rest
        var port: Int?
        var portText: Substring?
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { throw invalid("has an IPv6 address without its ]") }
            host = rest[rest.index(after: rest.startIndex)..<end]
            let after = rest[rest.index(after: end)...]
            if after.hasPrefix(":") {
                portText = after.dropFirst()
            } else if !after.isEmpty {
                throw invalid("has something between ] and the port")
            }
        } else if let colon = rest.lastIndex(of: ":") {
            host = rest[..<colon]
            portText = rest[rest.index(after: colon)...]
            if host.contains(":") { throw invalid("has an IPv6 address without [ and ]") }
        }
        if let portText {
            guard let number = Int(portText), (1...65535).contains(number) else {
                throw invalid("has a port that is not a number from 1 to 65535")
            }
            port = number
        }
        let name = try decoded(host, "host")
        guard !name.isEmpty else { throw invalid("names no host") }
        address = BrokerAddress(host: name, port: port, isTLS: isTLS)
    }
}
