public import UploadDestinations
import Uploads

/// A destination of the driver `resumable` as the configuration names it.
public struct ResumableSettings: Hashable, Sendable {
    /// Everything but secrets and limits.
    public var configuration: ResumableConfiguration
    /// How it is reached.
    public var web: WebSettings

    /// - Throws: `configuration` for a key that is missing or not what it must be.
    init(_ base: String, _ settings: Settings) throws(ProgramError) {
        web = try WebSettings(base, settings)
        configuration = ResumableConfiguration(url: web.url)
        configuration.hasKeyInURL = settings.text("\(base).keyInURL") != "false"
        if configuration.hasKeyInURL { try web.checkIsBase(base, settings) }
        configuration.method = settings.text("\(base).method").flatMap(ResumableConfiguration.Method.init(rawValue:))
        configuration.interop = settings.text("\(base).interop").flatMap { Int($0) }
            .flatMap(ResumableInterop.init(rawValue:))
        configuration.uploadOrigins = settings.list("\(base).uploadOrigins")
        configuration.partBytes = try settings.partBytes(base) ?? configuration.partBytes
        configuration.sendsDigests = settings.text("\(base).contentDigest") == "true"
        configuration.tls = web.tls
        configuration.times = web.times
    }
}
