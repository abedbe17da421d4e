public import Uploads

/// An endpoint that gives pre-signed URLs: asked for each file, and asked again when a URL has expired.
public struct PresignedConfiguration: Hashable, Sendable {
    /// Where a ticket is asked for.
    public var url: String
    /// `POST`, `PUT`, or `GET`, which has the fields in its query.
    public var method: String
    /// Sent to the endpoint with every call, and never to where the bytes go. Never shown.
    public var headers: [String: String]
    /// What the request says, a ``JobTemplate`` each. May hold secrets: never shown. What is `{size}` alone is sent as a number, `true` and
    /// `false` as what they are.
    public var fields: [String: String]
    public var answer: PresignedAnswer
    /// Whether the bytes are sent with `Content-MD5`. Costs a read before they are sent.
    public var sendsContentMD5: Bool
    /// Told when the bytes are there; nil where nobody wants to know.
    public var completion: PresignedCompletion?
    /// Asked what became of them; nil where nobody says.
    public var status: PresignedStatus?
    public var limits: TransferLimits
    /// The authorities to trust, and the certificate to show.
    public var tls: TLSFiles
    /// How long the server may be silent, and how slow.
    public var times: HTTPTimes

    public init(url: String, headers: [String: String] = [:], limits: TransferLimits = TransferLimits()) {
        self.url = url
        self.headers = headers
        self.limits = limits
        method = "POST"
        fields = ["key": "{key}", "size": "{size}", "contentType": "{contentType}"]
        answer = PresignedAnswer()
        sendsContentMD5 = false
        tls = TLSFiles()
        times = HTTPTimes()
    }
}
