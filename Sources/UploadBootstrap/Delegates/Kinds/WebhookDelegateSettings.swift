import Foundation
import LinuxFiles
import UploadNotifier
import Uploads

/// A delegate of the kind `webhook`.
struct WebhookDelegateSettings: DelegateKindSettings {
    static let kindName = WebhookConfiguration.kindName

    static let keys: [ConfigurationKey] = [
        .delegateConcurrency, .delegateTimeout,
        .delegate("url", .url(schemes: ["https", "http"]), "where outcomes are posted"),
        .delegate(
            "secret", .list(.secret),
            "signs what is posted (Standard Webhooks): whsec_ and base64 of 24 to 64 bytes"),
        .delegate("caFile", .path, "authorities that may have signed the certificate (PEM)"),
        .delegate(
            "mode", .choice(["structured", "binary"]), standard: "structured",
            "how a CloudEvent is posted: whole, or its data with its attributes as headers"),
    ]

    /// Everything but secrets and authorities.
    var configuration: WebhookConfiguration
    var secrets: [Secret]
    /// A file of the authorities that may have signed the server's certificate.
    var caFile: String?

    init(_ section: SettingsSection) throws(ProgramError) {
        configuration = WebhookConfiguration(url: try section.needed("url"), secrets: [])
        configuration.mode = section.text("mode").flatMap { .init(rawValue: $0) } ?? configuration.mode
        configuration.timeout = section.seconds("timeout") ?? configuration.timeout
        secrets = section.secrets("secret")
        caFile = section.path("caFile")
    }

    func configuration(
        _ section: SettingsSection, environment: [String: String]
    ) throws(ProgramError) -> DelegateConfiguration.Kind {
        var webhook = configuration
        for secret in secrets {
            webhook.secrets.append(
                WebhookSecret(try secret.resolve(environment, key: section.place("secret"))))
        }
        if let caFile {
            guard let authorities = try? File.contents(of: caFile, atMost: 1 << 20) else {
                throw section.problem("caFile", "cannot read \(caFile); check that it exists and may be read")
            }
            webhook.authorities = Data(authorities)
        }
        return .webhook(webhook)
    }
}
