import Uploads

extension CommandConfiguration: DelegateKind {
    public static let kindName = "command"
    static let usualConcurrency = 4

    func delegate(_ context: DelegateContext) throws(UploadError) -> any CompletionDelegate {
        try CommandDelegate(name: context.name, self, mapping: context.mapping)
    }

    func describe(in summary: inout DelegateSummary) {
        // Without the arguments, which may hold secrets.
        summary.target = path
        summary.timeoutSeconds = timeout
    }
}
