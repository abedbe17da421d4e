/// The keys that several drivers of destinations have. A driver lists those that it reads among its ``DriverSettings/keys``.
extension ConfigurationKey {
    /// In the order in which `--check-config` prints them.
    static let sharedByDrivers: [ConfigurationKey] =
        [url, method, keyInURL, answerURL, username, password, authentication, bearerToken, authorization, headers]
        + connection + [profile, partSize, uploadOrigins]

    static let url = destination(
        "url", .url(schemes: ["http", "https"]), "what keys are appended to, ends in /; of tus where uploads are made")
    static let method = destination(
        "method", .choice(["PUT", "POST"]),
        "by which method files go up; PUT if left out, with a form or without keyInURL POST")
    static let keyInURL = destination(
        "keyInURL", .boolean, "whether keys are appended to the url, or every file goes there; true if left out")
    static let answerURL = destination(
        "answer.url", .text,
        "where an answer in JSON has the object's URL (http), or the URL to send it to (presigned): data.0.url")
    static let username = destination("username", .text, "user for Basic or Digest authentication")
    static let password = destination("password", .secret, "password for Basic or Digest authentication")
    static let authentication = destination(
        "authentication", .choice(["basic", "digest"]),
        "how username and password are shown to the server; basic if left out")
    static let bearerToken = destination("bearerToken", .secret, "token for Bearer authentication")
    static let authorization = destination(
        "authorization", .secret, "the whole Authorization header, of any scheme: a secret of 'Client-ID …', 'token …'")
    static let headers = destination("headers.*", .secret, "a header of every request")
    static let profile = destination(
        "profile", .text,
        "of s3 a profile of the shared AWS files, instead of keys; of http a service that it knows: imgur")
    static let partSize = destination(
        "partSize", .bytes((8 << 20)...(5 << 30)), "a multiple of 8MiB; 8MiB (s3) or 32MiB (others) if left out")
    static let uploadOrigins = destination(
        "uploadOrigins", .list(.url(schemes: ["https", "http"])),
        "where else than at its url the server may let uploads lie, such as https://files.example")

    /// How connections to a server are made, and how slow it may be.
    static let connection: [ConfigurationKey] = [
        destination("caFile", .path, "authorities that may have signed the certificate (PEM)"),
        destination("certificateFile", .path, "the worker's certificate for the server (PEM)"),
        destination("keyFile", .path, "the key of certificateFile (PEM), unless that has it, too"),
        destination("proxy", .url(schemes: ["http"]), "an HTTP proxy that requests go through"),
        destination(
            "connectTimeout", .duration(1...300), "how long connecting may take, TLS included; 10s if left out"),
        destination("answerTimeout", .duration(1...3600), "how long the server may take to answer; 60s if left out"),
        destination("stallTimeout", .duration(1...3600), "how long the server may take no bytes; 60s if left out"),
        destination(
            "minimumBytesPerSecond", .integer(0...1_000_000),
            "what the server has to send on average over a minute; 512 if left out, 0 for any speed"),
    ]
}
