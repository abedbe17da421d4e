public import Foundation
public import Uploads

/// An app's account at Sage Bionetworks Bridge.
public struct BridgeConfiguration: Hashable, Sendable {
    /// Who signs in.
    public enum Account: Hashable, Sendable {
        case email(String)
        case externalID(String)
        /// - Parameter region: of two letters, such as `US`.
        case phone(number: String, region: String)
    }

    public static let usualURL = "https://webservices.sagebridge.org/"

    /// Of the service, ends in `/`.
    public var url: String
    public var appID: String
    public var account: Account
    public var password: String
    /// Sent with every call to Bridge, `User-Agent` among them, by which it knows the app's version. Never shown.
    public var headers: [String: String]
    /// Whether the file is encrypted as Bridge expects it.
    public var isEncrypted: Bool
    /// Whether the file is a zip of several; false for a single one.
    public var isZipped: Bool
    /// Whether a job is completed only once Bridge has validated the file.
    public var waitsForValidation: Bool
    /// Seconds until Bridge is asked again for a file that it validates, 5 by default; longer each time.
    public var askAgainSeconds: TimeInterval
    public var limits: TransferLimits
    /// The authorities to trust, and the certificate to show.
    public var tls: TLSFiles
    /// How long the server may be silent, and how slow.
    public var times: HTTPTimes

    public init(
        url: String = usualURL, appID: String, account: Account, password: String,
        limits: TransferLimits = TransferLimits()
    ) {
        self.url = url
        self.appID = appID
        self.account = account
        self.password = password
        self.limits = limits
        headers = [:]
        isEncrypted = true
        isZipped = true
        waitsForValidation = false
        askAgainSeconds = 5
        tls = TLSFiles()
        times = HTTPTimes()
    }

    /// How long nobody signs in after that failed, in seconds.
    var signInPauseSeconds = BridgeLimits.signInPauseSeconds
}
