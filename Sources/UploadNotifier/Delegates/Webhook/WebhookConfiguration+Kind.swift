import Uploads

extension WebhookConfiguration: DelegateKind {
    public static let kindName = "webhook"

    func delegate(_ context: DelegateContext) throws(UploadError) -> any CompletionDelegate {
        try WebhookDelegate(
            name: context.name, self, mapping: context.mapping, allowNetworks: context.allowNetworks,
            logger: context.logger)
    }

    func describe(in summary: inout DelegateSummary) {
        summary.target = DestinationReference.redact(url)
        summary.mode = mode.rawValue
        summary.timeoutSeconds = timeout
        summary.hasSecret = !secrets.isEmpty
        summary.oldSecretUntil = secrets.compactMap(\.until).max()
    }
}
