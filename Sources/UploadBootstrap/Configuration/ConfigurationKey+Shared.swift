/// The keys that several drivers of destinations have. A driver lists those that it reads among its ``DriverSettings/keys``.
extension ConfigurationKey {
    /// In the order in which `--check-config` prints them.
    static let sharedByDrivers: [ConfigurationKey] =
        [url, method, keyInURL, answerURL, username, password, authentication, bearerToken, authorization, headers]
        + connection + [profile, partSize, uploadOrigins]

    static let url = destination(
        "url", .url(schemes: ["http", "https"]),
        "the URL that keys are appended to, ends in /; of tus the URL where uploads are made")
    static let method = destination(
        "method", .choice(["PUT", "POST"]),
        "the method that files go up by; PUT if left out, POST with a form or without keyInURL")
    static let keyInURL = destination(
        "keyInURL", .boolean, standard: "true", "whether keys are appended to the url, or every file goes there")
    static let answerURL = destination(
        "answer.url", .text,
        "where an answer in JSON has the object's URL (http), or the URL to send it to (presigned): data.0.url")
    static let username = destination("username", .text, "user for Basic or Digest authentication")
    static let password = destination("password", .secret, "password for Basic or Digest authentication")
    static let authentication = destination(
        "authentication", .choice(["basic", "digest"]), standard: "basic", "the scheme of username and password")
    static let bearerToken = destination("bearerToken", .secret, "token for Bearer authentication")
    static let authorization = destination(
        "authorization", .secret, "the whole Authorization header, of any scheme: a secret of 'Client-ID …', 'token …'")
    static let headers = destination("headers.*", .secret, "a header of every request")
    static let profile = destination(
        "profile", .text,
        "of s3 a profile of the shared AWS files, instead of keys; of http a service that the driver knows: imgur")
    static let partSize = destination(
        "partSize", .bytes((8 << 20)...(5 << 30)), standard: "32MiB", standards: ["s3": "8MiB"],
        "the size of a part, a multiple of 8MiB; of http with ranges only")
    static let uploadOrigins = destination(
        "uploadOrigins", .list(.url(schemes: ["https", "http"])),
        "other origins at which the server may keep uploads, such as https://files.example")

    /// How connections to a server are made, and how slow it may be.
    static let connection: [ConfigurationKey] = [
        destination("caFile", .path, "authorities that may have signed the certificate (PEM)"),
        destination("certificateFile", .path, "the worker's certificate for the server (PEM)"),
        destination("keyFile", .path, "the key of certificateFile (PEM), unless that file holds the key, too"),
        destination("proxy", .url(schemes: ["http"]), "an HTTP proxy that requests go through"),
        destination(
            "connectTimeout", .duration(1...300), standard: "10s", "how long connecting may take, TLS included"),
        destination(
            "answerTimeout", .duration(1...3600), standard: "60s", "how long the server may take to answer"),
        destination(
            "stallTimeout", .duration(1...3600), standard: "60s",
            "how long a server may accept no bytes before the request fails"),
        destination(
            "minimumBytesPerSecond", .integer(0...1_000_000), standard: "512",
            "the least average rate of the server's answers over a minute, in bytes a second; 0 for any rate"),
    ]
}
