public import UploadDestinations
import Uploads

/// A destination of the driver `webdav` as the configuration names it.
public struct WebDAVSettings: Hashable, Sendable {
    /// Everything but secrets and limits.
    public var configuration: WebDAVConfiguration
    /// How it is reached.
    public var web: WebSettings

    /// - Throws: `configuration` for a key that is missing or not what it must be.
    init(_ base: String, _ settings: Settings) throws(ProgramError) {
        web = try WebSettings(base, settings)
        try web.checkIsBase(base, settings)
        let folder = settings.text("\(base).temporaryFolder")
        guard folder.map(WebDAVConfiguration.isFolder) != false else {
            throw ProgramError(
                .configuration,
                "\(settings.place("\(base).temporaryFolder")): expected a path below the url such as .longshore, without a slash at its "
                    + "beginning or end")
        }
        configuration = WebDAVConfiguration(url: web.url, temporaryFolder: folder, tls: web.tls)
        configuration.times = web.times
    }
}
