/// The keys of the driver `bridge` alone.
extension ConfigurationKey {
    private static func key(_ name: String, _ kind: ValueKind, _ summary: String) -> ConfigurationKey {
        .init("destinations.*.\(name)", kind, owners: ["bridge"], summary)
    }

    static let bridge: [ConfigurationKey] = [
        key("appId", .text, "the app at Bridge"),
        key("email", .text, "who signs in, by e-mail"),
        key("externalId", .text, "who signs in, by external id"),
        key("phone", .text, "who signs in, by telephone number"),
        key("phoneRegion", .text, "the number's country, of two letters; US if left out"),
        key("encrypted", .boolean, "whether files are encrypted as Bridge expects it; true if left out"),
        key("zipped", .boolean, "whether files are zips; true if left out"),
        key("waitForValidation", .boolean, "whether a job ends only once Bridge has validated its file"),
        key("askAgain", .duration(1...3600), "when Bridge is asked again meanwhile; 5s if left out"),
    ]
}
