import UploadDestinations
import Uploads

/// A destination of the driver `bridge`: Sage Bionetworks Bridge.
struct BridgeSettings: DriverSettings {
    static let driverName = BridgeDestination.driverName

    static let keys: [ConfigurationKey] =
        WebSettings.keys + [
            .destination("appId", .text, "the app at Bridge"),
            .destination("email", .text, "the account's e-mail address"),
            .destination("externalId", .text, "the account's external id, instead of email"),
            .destination("phone", .text, "the account's telephone number, instead of email"),
            .destination("phoneRegion", .text, standard: "US", "the number's country, of two letters"),
            .destination(
                "encrypted", .boolean, standard: "true", "whether files are encrypted as Bridge expects it"),
            .destination("zipped", .boolean, standard: "true", "whether files are zips"),
            .destination(
                "waitForValidation", .boolean, standard: "false",
                "whether a job ends only once Bridge has validated its file"),
            .destination(
                "askAgain", .duration(1...3600), standard: "5s",
                "the wait before Bridge is asked again about a validation"),
        ]

    /// Everything but secrets and limits.
    var configuration: BridgeConfiguration
    /// How the worker reaches Bridge, with the account's password.
    var web: WebSettings

    init(_ section: SettingsSection) throws(ProgramError) {
        web = try WebSettings(section)
        try web.checkIsBase(section)
        _ = try section.needed("password")
        for key in ["username", "bearerToken"] where section.has(key) {
            throw section.problem(key, "Bridge signs in by email, externalId or phone; give one of them instead")
        }
        configuration = BridgeConfiguration(
            url: web.url, appID: try section.needed("appId"), account: try Self.account(section), password: "")
        configuration.isEncrypted = section.isTrue("encrypted", otherwise: true)
        configuration.isZipped = section.isTrue("zipped", otherwise: true)
        configuration.waitsForValidation = section.isTrue("waitForValidation")
        configuration.askAgainSeconds = section.seconds("askAgain") ?? configuration.askAgainSeconds
        configuration.tls = web.tls
        configuration.times = web.times
    }

    private static func account(_ section: SettingsSection) throws(ProgramError) -> BridgeConfiguration.Account {
        let given = ["email", "externalId", "phone"].filter(section.has)
        guard given.count <= 1 else {
            throw section.problem(given[1], "give one of email, externalId and phone")
        }
        switch given.first {
        case "externalId": return .externalID(try section.needed("externalId"))
        case "phone":
            return .phone(number: try section.needed("phone"), region: section.text("phoneRegion") ?? "US")
        default: return .email(try section.needed("email"))
        }
    }

    func destination(_ context: DestinationContext) throws(ProgramError) -> any Destination {
        var account = configuration
        account.headers = try context.headers(web)
        account.limits = context.limits
        if let secret = web.password { account.password = try context.resolve(secret, "password") }
        let client = try context.client(web.route)
        return try context.make { () throws(UploadError) in try BridgeDestination(account, client: client) }
    }
}
