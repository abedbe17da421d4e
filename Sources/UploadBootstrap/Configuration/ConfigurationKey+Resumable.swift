import UploadDestinations

/// The keys of the driver `resumable` alone.
extension ConfigurationKey {
    static let resumable: [ConfigurationKey] = [
        .init(
            "destinations.*.interop", .choice(ResumableInterop.allCases.map { "\($0.rawValue)" }),
            owners: ["resumable"], "the version that the server speaks; found out if left out"),
        .init(
            "destinations.*.contentDigest", .boolean, owners: ["resumable"],
            "whether parts carry their SHA-256; costs a second read; false if left out"),
    ]
}
