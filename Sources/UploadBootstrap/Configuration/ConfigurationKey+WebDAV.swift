/// The keys of the driver `webdav` alone.
extension ConfigurationKey {
    static let webDAV: [ConfigurationKey] = [
        .init(
            "destinations.*.temporaryFolder", .text, owners: ["webdav"],
            "a folder below the url for files that are not whole yet, such as .longshore; if left out they lie beside their targets, and "
                + "are not swept")
    ]
}
