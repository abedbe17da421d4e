import Crypto
import NIOHTTP1
import Uploads

/// The canonical form of a request, over which client and server compute the signature ("Create a canonical request", AWS Signature Version 4).
struct CanonicalRequest {
    /// Names of the signed headers in lower case, sorted, separated by `;`.
    let signedHeaders: String
    let text: String

    /// Headers that are not signed, because the client or a proxy may set or change them without harm: headers that the
    /// HTTP client writes by itself (even `content-length`: the server refuses a body of another length anyway, and the
    /// hash or checksum is signed), headers of one hop (RFC 9110, section 7.6.1), and headers that proxies and tracers
    /// add or rewrite. `accept-encoding` is among them because Google's front end rewrites it.
    static let unsigned: Set<String> = [
        "accept-encoding", "authorization", "connection", "content-length", "expect", "forwarded", "host", "keep-alive",
        "proxy-authorization", "proxy-connection", "te", "traceparent", "tracestate", "trailer", "transfer-encoding",
        "upgrade", "user-agent", "via", "x-amzn-trace-id", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
    ]

    /// - Parameter only: names in lower case of the only headers to sign; nil signs all but `unsigned`.
    init(_ request: SignableRequest, payload: PayloadHash, only: Set<String>? = nil) {
        var values: [String: [String]] = ["host": [Self.trimmed(request.host)]]
        for (name, value) in request.headers {
            let name = name.lowercased()
            guard name != "host", only?.contains(name) ?? !Self.unsigned.contains(name) else { continue }
            values[name, default: []].append(Self.trimmed(value))
        }
        let names = values.keys.sorted()
        signedHeaders = names.joined(separator: ";")
        var lines = [request.method, request.path.isEmpty ? "/" : request.path, S3Encoding.query(request.query)]
        lines += names.map { "\($0):\((values[$0] ?? []).joined(separator: ","))" }
        lines += ["", signedHeaders, payload.text]
        text = lines.joined(separator: "\n")
    }

    var hash: String { Hexadecimal.text(of: SHA256.hash(data: Array(text.utf8))) }

    /// The value without white space at its ends, and with single spaces within.
    private static func trimmed(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" || $0 == "\r\n" }.joined(separator: " ")
    }
}
