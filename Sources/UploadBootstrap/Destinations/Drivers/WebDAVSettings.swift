import UploadDestinations
import Uploads

/// A destination of the driver `webdav`.
struct WebDAVSettings: DriverSettings {
    static let driverName = WebDAVDestination.driverName

    static let keys: [ConfigurationKey] =
        WebSettings.keys + [
            .authentication,
            .destination(
                "temporaryFolder", .text,
                "a folder below the url for unfinished files, such as .longshore; if left out they lie beside their targets, and "
                    + "are not swept"),
        ]

    /// Everything but secrets and limits.
    var configuration: WebDAVConfiguration
    /// How the worker reaches the server.
    var web: WebSettings

    init(_ section: SettingsSection) throws(ProgramError) {
        web = try WebSettings(section)
        try web.checkIsBase(section)
        let folder = section.text("temporaryFolder")
        guard folder.map(WebDAVConfiguration.isFolder) != false else {
            throw section.problem(
                "temporaryFolder",
                "expected a path below the url such as .longshore, without a slash at its beginning or end")
        }
        configuration = WebDAVConfiguration(url: web.url, temporaryFolder: folder, tls: web.tls)
        configuration.times = web.times
    }

    func destination(_ context: DestinationContext) throws(ProgramError) -> any Destination {
        var server = configuration
        server.headers = try context.headers(web)
        server.digest = try context.digest(web)
        server.limits = context.limits
        let client = try context.client(web.route)
        return try context.make { () throws(UploadError) in try WebDAVDestination(server, client: client) }
    }
}
