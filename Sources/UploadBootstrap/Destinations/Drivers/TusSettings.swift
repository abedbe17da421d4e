import UploadDestinations
import Uploads

/// A destination of the driver `tus`: a server of the tus protocol.
struct TusSettings: DriverSettings {
    static let driverName = TusDestination.driverName

    static let keys: [ConfigurationKey] =
        WebSettings.keys + [
            .partSize, .uploadOrigins,
            .destination(
                "concatenation", .boolean, standard: "false",
                "whether parts go up at once, as separate uploads that the server concatenates"),
            .destination(
                "uploadChecksum", .boolean, standard: "true",
                "whether parts carry a checksum where the server offers that; costs a second read"),
        ]

    /// Everything but secrets and limits.
    var configuration: TusConfiguration
    /// How the worker reaches the server.
    var web: WebSettings

    init(_ section: SettingsSection) throws(ProgramError) {
        web = try WebSettings(section)
        configuration = TusConfiguration(url: web.url)
        configuration.uploadOrigins = section.list("uploadOrigins")
        configuration.partBytes = try section.partBytes() ?? configuration.partBytes
        configuration.concatenates = section.isTrue("concatenation")
        configuration.sendsChecksums = section.isTrue("uploadChecksum", otherwise: true)
        configuration.tls = web.tls
        configuration.times = web.times
    }

    func destination(_ context: DestinationContext) throws(ProgramError) -> any Destination {
        var server = configuration
        server.headers = try context.headers(web)
        server.limits = context.limits
        let client = try context.client(web.route)
        return try context.make { () throws(UploadError) in try TusDestination(server, client: client) }
    }
}
