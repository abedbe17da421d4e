public import UploadDestinations
import Uploads

/// A destination of the driver `tus` as the configuration names it.
public struct TusSettings: Hashable, Sendable {
    /// Everything but secrets and limits.
    public var configuration: TusConfiguration
    /// How it is reached.
    public var web: WebSettings

    /// - Throws: `configuration` for a key that is missing or not what it must be.
    init(_ base: String, _ settings: Settings) throws(ProgramError) {
        web = try WebSettings(base, settings)
        configuration = TusConfiguration(url: web.url)
        configuration.uploadOrigins = settings.list("\(base).uploadOrigins")
        configuration.partBytes = try settings.partBytes(base) ?? configuration.partBytes
        configuration.concatenates = settings.text("\(base).concatenation") == "true"
        configuration.sendsChecksums = settings.text("\(base).uploadChecksum") != "false"
        configuration.tls = web.tls
        configuration.times = web.times
    }
}

extension Settings {
    /// Bytes of a part, if something is said of it.
    /// - Throws: `configuration` for a size that staged checksums do not fit.
    func partBytes(_ base: String) throws(ProgramError) -> Int64? {
        guard let bytes = bytes("\(base).partSize") else { return nil }
        guard bytes % PartPlan.blockBytes == 0 else {
            throw ProgramError(
                .configuration,
                "\(place("\(base).partSize")): expected a multiple of 8MiB, so that staged checksums fit the parts")
        }
        return bytes
    }
}
