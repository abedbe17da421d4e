public import Uploads

/// An endpoint that gives pre-signed URLs: the worker asks it for each file, and again when a URL has expired.
public struct PresignedConfiguration: Hashable, Sendable {
    /// The URL of the endpoint.
    public var url: String
    /// `POST`, `PUT`, or `GET`, which carries the fields in its query.
    public var method: String
    /// Headers of every call to the endpoint, never of the PUT of the bytes. Never shown.
    public var headers: [String: String]
    /// The request's fields, each a ``JobTemplate``. May hold secrets: never shown. A field that is `{size}` alone is sent as a number, `true`
    /// and `false` as booleans.
    public var fields: [String: String]
    public var answer: PresignedAnswer
    /// Whether the bytes are sent with `Content-MD5`. Costs a read before they are sent.
    public var sendsContentMD5: Bool
    /// The call that the worker makes once the bytes are stored; nil: none.
    public var completion: PresignedCompletion?
    /// The call that answers with the upload's status; nil: none.
    public var status: PresignedStatus?
    public var limits: TransferLimits
    /// The authorities to trust, and the worker's own certificate.
    public var tls: TLSFiles
    /// How long the server may be silent, and the least rate of its answers.
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
