/// The keys that drivers have in common whose servers speak HTTP.
extension ConfigurationKey {
    /// Those that are reached as ``WebSettings`` says.
    static let webDrivers = ["bridge", "http", "presigned", "resumable", "tus", "webdav"]
    private static let allDrivers = webDrivers + ["s3"]

    static let web: [ConfigurationKey] = [
        .init(
            "destinations.*.url", .url(schemes: ["http", "https"]), owners: webDrivers,
            "what keys are appended to, ends in /; of tus where uploads are made"),
        .init(
            "destinations.*.method", .choice(["PUT", "POST"]), owners: ["http", "resumable"],
            "by which method files go up; PUT if left out, with a form or without keyInURL POST"),
        .init(
            "destinations.*.keyInURL", .boolean, owners: ["http", "resumable"],
            "whether keys are appended to the url, or every file goes there; true if left out"),
        .init(
            "destinations.*.answer.url", .text, owners: ["http", "presigned"],
            "where an answer in JSON has the object's URL (http), or the URL to send it to (presigned): data.0.url"),
        .init("destinations.*.username", .text, owners: webDrivers, "user for Basic or Digest authentication"),
        .init("destinations.*.password", .secret, owners: webDrivers, "password for Basic or Digest authentication"),
        .init(
            "destinations.*.authentication", .choice(["basic", "digest"]), owners: ["http", "webdav"],
            "how username and password are shown to the server; basic if left out"),
        .init("destinations.*.bearerToken", .secret, owners: webDrivers, "token for Bearer authentication"),
        .init(
            "destinations.*.authorization", .secret, owners: webDrivers,
            "the whole Authorization header, of any scheme: a secret of 'Client-ID …', 'token …'"),
        .init("destinations.*.headers.*", .secret, owners: webDrivers, "a header of every request"),
        .init(
            "destinations.*.caFile", .path, owners: allDrivers,
            "authorities that may have signed the certificate (PEM)"),
        .init(
            "destinations.*.certificateFile", .path, owners: allDrivers,
            "the worker's certificate for the server (PEM)"),
        .init(
            "destinations.*.keyFile", .path, owners: allDrivers,
            "the key of certificateFile (PEM), unless that has it, too"),
        .init(
            "destinations.*.proxy", .url(schemes: ["http"]), owners: allDrivers,
            "an HTTP proxy that requests go through"),
        .init(
            "destinations.*.connectTimeout", .duration(1...300), owners: allDrivers,
            "how long connecting may take, TLS included; 10s if left out"),
        .init(
            "destinations.*.answerTimeout", .duration(1...3600), owners: allDrivers,
            "how long the server may take to answer; 60s if left out"),
        .init(
            "destinations.*.stallTimeout", .duration(1...3600), owners: allDrivers,
            "how long the server may take no bytes; 60s if left out"),
        .init(
            "destinations.*.minimumBytesPerSecond", .integer(0...1_000_000), owners: allDrivers,
            "what the server has to send on average over a minute; 512 if left out, 0 for any speed"),
    ]
}
