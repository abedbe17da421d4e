public import Foundation
public import Uploads

/// An app's account at Sage Bionetworks Bridge.
public struct BridgeConfiguration: Hashable, Sendable {
    /// The account that signs in.
    public enum Account: Hashable, Sendable {
        case email(String)
        case externalID(String)
        /// - Parameter region: of two letters, such as `US`.
        case phone(number: String, region: String)
    }

    public static let usualURL = "https://webservices.sagebridge.org/"

    /// The URL of the service, ends in `/`.
    public var url: String
    public var appID: String
    public var account: Account
    public var password: String
    /// Headers of every call to Bridge, `User-Agent` included, from which Bridge reads the app's version. Never shown.
    public var headers: [String: String]
    /// Whether the file is encrypted as Bridge expects it.
    public var isEncrypted: Bool
    /// Whether the file is a zip of several; false for a single one.
    public var isZipped: Bool
    /// Whether a job is completed only once Bridge has validated the file.
    public var waitsForValidation: Bool
    /// Seconds until the worker asks Bridge again about a file under validation, 5 by default; longer each time.
    public var askAgainSeconds: TimeInterval
    public var limits: TransferLimits
    /// The authorities to trust, and the worker's own certificate.
    public var tls: TLSFiles
    /// How long the server may be silent, and the least rate of its answers.
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

    /// Seconds after a failed sign-in during which no job tries to sign in.
    var signInPauseSeconds = BridgeLimits.signInPauseSeconds
}
