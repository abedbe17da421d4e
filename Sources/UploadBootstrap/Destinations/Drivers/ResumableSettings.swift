import UploadDestinations
import Uploads

/// A destination of the driver `resumable`: a server of resumable uploads over HTTP.
struct ResumableSettings: DriverSettings {
    static let driverName = ResumableDestination.driverName

    static let keys: [ConfigurationKey] =
        WebSettings.keys + [
            .method, .keyInURL, .partSize, .uploadOrigins,
            .destination(
                "interop", .choice(ResumableInterop.allCases.map { "\($0.rawValue)" }),
                "the interop version that the server speaks; asked of the server if left out"),
            .destination(
                "contentDigest", .boolean, standard: "false",
                "whether parts carry their SHA-256; costs a second read"),
        ]

    /// Everything but secrets and limits.
    var configuration: ResumableConfiguration
    /// How the worker reaches the server.
    var web: WebSettings

    init(_ section: SettingsSection) throws(ProgramError) {
        web = try WebSettings(section)
        configuration = ResumableConfiguration(url: web.url)
        configuration.hasKeyInURL = section.isTrue("keyInURL", otherwise: true)
        if configuration.hasKeyInURL { try web.checkIsBase(section) }
        configuration.method = section.text("method").flatMap(ResumableConfiguration.Method.init(rawValue:))
        configuration.interop = section.text("interop").flatMap { Int($0) }.flatMap(ResumableInterop.init(rawValue:))
        configuration.uploadOrigins = section.list("uploadOrigins")
        configuration.partBytes = try section.partBytes() ?? configuration.partBytes
        configuration.sendsDigests = section.isTrue("contentDigest")
        configuration.tls = web.tls
        configuration.times = web.times
    }

    func destination(_ context: DestinationContext) throws(ProgramError) -> any Destination {
        var server = configuration
        server.headers = try context.headers(web)
        server.limits = context.limits
        let client = try context.client(web.route)
        return try context.make { () throws(UploadError) in try ResumableDestination(server, client: client) }
    }
}
