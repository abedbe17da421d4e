/// The keys of the driver `tus` alone.
extension ConfigurationKey {
    static let tus: [ConfigurationKey] = [
        .init(
            "destinations.*.uploadOrigins", .list(.url(schemes: ["https", "http"])), owners: ["resumable", "tus"],
            "where else than at its url the server may let uploads lie, such as https://files.example"),
        .init(
            "destinations.*.concatenation", .boolean, owners: ["tus"],
            "whether parts go up at once, as uploads of their own that the server puts together; false if left out"),
        .init(
            "destinations.*.uploadChecksum", .boolean, owners: ["tus"],
            "whether parts carry a checksum where the server offers that; costs a second read; true if left out"),
    ]
}
