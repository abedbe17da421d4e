import Uploads

extension LogConfiguration: DelegateKind {
    public static let kindName = "log"

    func delegate(_ context: DelegateContext) throws(UploadError) -> any CompletionDelegate {
        try LogDelegate(name: context.name, self, mapping: context.mapping, logger: context.logger)
    }

    func describe(in summary: inout DelegateSummary) {
        summary.target = path
        // A log takes one batch at a time, whatever its configuration says.
        summary.concurrency = nil
    }
}
