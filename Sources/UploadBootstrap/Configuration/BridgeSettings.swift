public import UploadDestinations
import Uploads

/// A destination of the driver `bridge` as the configuration names it.
public struct BridgeSettings: Hashable, Sendable {
    /// Everything but secrets and limits.
    public var configuration: BridgeConfiguration
    /// How it is reached, with the account's password.
    public var web: WebSettings

    /// - Throws: `configuration` for a key that is missing or not what it must be.
    init(_ base: String, _ settings: Settings) throws(ProgramError) {
        web = try WebSettings(base, settings)
        try web.checkIsBase(base, settings)
        _ = try settings.needed("\(base).password", settings.text)
        for key in ["username", "bearerToken"] where settings.text("\(base).\(key)") != nil {
            throw ProgramError(
                .configuration,
                "\(settings.place("\(base).\(key)")): Bridge signs in by email, externalId or phone; give one of them instead"
            )
        }
        configuration = BridgeConfiguration(
            url: web.url, appID: try settings.needed("\(base).appId", settings.text),
            account: try Self.account(base, settings), password: "")
        configuration.isEncrypted = settings.text("\(base).encrypted") != "false"
        configuration.isZipped = settings.text("\(base).zipped") != "false"
        configuration.waitsForValidation = settings.text("\(base).waitForValidation") == "true"
        configuration.askAgainSeconds = settings.seconds("\(base).askAgain") ?? configuration.askAgainSeconds
        configuration.tls = web.tls
        configuration.times = web.times
    }

    private static func account(
        _ base: String, _ settings: Settings
    ) throws(ProgramError) -> BridgeConfiguration.Account {
        let given = ["email", "externalId", "phone"].filter { settings.text("\(base).\($0)") != nil }
        guard given.count <= 1 else {
            throw ProgramError(
                .configuration,
                "\(settings.place("\(base).\(given[1])")): give one of email, externalId and phone")
        }
        func text(_ key: String) throws(ProgramError) -> String { try settings.needed("\(base).\(key)", settings.text) }
        switch given.first {
        case "externalId": return .externalID(try text("externalId"))
        case "phone": return .phone(number: try text("phone"), region: settings.text("\(base).phoneRegion") ?? "US")
        default: return .email(try text("email"))
        }
    }
}
