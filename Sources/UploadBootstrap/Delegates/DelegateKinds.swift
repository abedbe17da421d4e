/// The kinds of delegates that this version has. A new kind is one line here.
enum DelegateKinds {
    static let all: [any DelegateKindSettings.Type] = [
        WebhookDelegateSettings.self,
        QueueDelegateSettings.self,
        CommandDelegateSettings.self,
        LogDelegateSettings.self,
    ]

    /// The words that `kind` may be.
    static let names = all.map { $0.kindName }

    /// The keys of all kinds, each with the kinds that have it.
    static let keys = ConfigurationKey.owned(
        shared: ConfigurationKey.sharedByKinds, all.map { (word: $0.kindName, keys: $0.keys) })
}
