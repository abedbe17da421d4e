public import UploadDestinations
import Uploads

/// A destination of the driver `presigned` as the configuration names it.
public struct PresignedSettings: Hashable, Sendable {
    /// Everything but secrets and limits.
    public var configuration: PresignedConfiguration
    /// What requests say; empty: as usual.
    public var fields: [String: Secret]
    /// How the endpoint is reached.
    public var web: WebSettings

    /// - Throws: `configuration` for a key that is missing or not what it must be.
    init(_ base: String, _ settings: Settings) throws(ProgramError) {
        web = try WebSettings(base, settings)
        fields = settings.secrets(below: "\(base).request.fields")
        configuration = PresignedConfiguration(url: web.url)
        configuration.method = settings.text("\(base).request.method") ?? configuration.method
        let usual = PresignedAnswer()
        configuration.answer = PresignedAnswer(
            url: settings.text("\(base).answer.url") ?? usual.url, id: settings.text("\(base).answer.id") ?? usual.id,
            expires: settings.text("\(base).answer.expires") ?? usual.expires,
            headers: settings.text("\(base).answer.headers") ?? usual.headers)
        configuration.sendsContentMD5 = settings.text("\(base).contentMD5") == "true"
        configuration.completion = try Self.completion("\(base).complete", settings)
        configuration.status = try Self.status("\(base).status", settings)
        configuration.tls = web.tls
        configuration.times = web.times
    }

    private static func completion(
        _ base: String, _ settings: Settings
    ) throws(ProgramError) -> PresignedCompletion? {
        guard !settings.paths(below: base).isEmpty else { return nil }
        return PresignedCompletion(
            url: try settings.needed("\(base).url", settings.text),
            method: settings.text("\(base).method") ?? "POST",
            doneStatuses: Set(settings.list("\(base).doneStatuses").compactMap { Int($0) }),
            sendsAgainWhenAbsent: settings.text("\(base).sendAgainWhenAbsent") == "true")
    }

    private static func status(_ base: String, _ settings: Settings) throws(ProgramError) -> PresignedStatus? {
        guard !settings.paths(below: base).isEmpty else { return nil }
        _ = try settings.needed("\(base).done", settings.text)
        return PresignedStatus(
            url: try settings.needed("\(base).url", settings.text),
            path: settings.text("\(base).path") ?? "status", done: Set(settings.list("\(base).done")),
            failed: Set(settings.list("\(base).failed")), open: Set(settings.list("\(base).open")),
            askAgainSeconds: settings.seconds("\(base).askAgain") ?? 5)
    }
}
