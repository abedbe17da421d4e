/// The authorities that an `amqps` connection trusts, and its own certificate. All files are PEM.
public struct TLSConfiguration: Hashable, Sendable {
    /// The authorities that may have signed the broker's certificate; `nil` takes the system's bundle.
    public var caFile: String?
    /// The client's certificate, for brokers that ask for one; needs `keyFile`.
    public var certificateFile: String?
    /// The private key of `certificateFile`, without a passphrase.
    public var keyFile: String?
    /// Whether the broker's certificate must name the host of the address, by DNS name or IP address. Switch it off only
    /// for tests.
    public var verifiesHostName: Bool

    public init(
        caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil, verifiesHostName: Bool = true
    ) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.verifiesHostName = verifiesHostName
    }
}
