import UploadDestinations
import Uploads

/// A destination of the driver `presigned`: an endpoint that gives pre-signed URLs.
struct PresignedSettings: DriverSettings {
    static let driverName = PresignedDestination.driverName

    static let keys: [ConfigurationKey] =
        WebSettings.keys + [
            .answerURL,
            .destination(
                "request.method", .choice(["POST", "PUT", "GET"]), standard: "POST",
                "the method of the request for a URL"),
            .destination(
                "request.fields.*", .secret,
                "a field of the request, such as \"{key}\"; key, size and contentType if left out; may be secret"),
            .destination(
                "answer.id", .text, standard: "id",
                "the path of the upload's id in the JSON answer, which is no secret"),
            .destination("answer.expires", .text, standard: "expires", "the path of the URL's expiry"),
            .destination(
                "answer.headers", .text, standard: "headers", "the path of an object with headers for the PUT"),
            .destination(
                "contentMD5", .boolean, standard: "false",
                "whether the bytes are sent with Content-MD5; costs a second read"),
        ] + afterwards

    private static let afterwards: [ConfigurationKey] = [
        .destination(
            "complete.url", .url(schemes: ["http", "https"]),
            "the URL that the worker calls once the bytes are stored; {id} is the upload"),
        .destination(
            "complete.method", .choice(["POST", "PUT", "PATCH"]), standard: "POST", "the method of that call"),
        .destination(
            "complete.doneStatuses", .list(.integer(300...599)), "statuses besides 2xx that count as success"),
        .destination(
            "complete.sendAgainWhenAbsent", .boolean, standard: "false",
            "whether 404 means that the bytes must be sent again"),
        .destination(
            "status.url", .url(schemes: ["http", "https"]),
            "the URL that answers with the upload's status; {id} is the upload"),
        .destination(
            "status.path", .text, standard: "status", "the path of the status in the JSON answer"),
        .destination("status.done", .list(.text), "statuses that complete the job"),
        .destination("status.failed", .list(.text), "statuses that fail the job"),
        .destination("status.open", .list(.text), "statuses of an upload whose completing call has not arrived yet"),
        .destination(
            "status.askAgain", .duration(1...3600), standard: "5s",
            "the wait before the worker asks again after any other status"),
    ]

    /// Everything but secrets and limits.
    var configuration: PresignedConfiguration
    /// What requests say; empty: the usual fields.
    var fields: [String: Secret]
    /// How the worker reaches the endpoint.
    var web: WebSettings

    init(_ section: SettingsSection) throws(ProgramError) {
        web = try WebSettings(section)
        fields = section.secrets(below: "request.fields")
        configuration = PresignedConfiguration(url: web.url)
        configuration.method = section.text("request.method") ?? configuration.method
        let usual = PresignedAnswer()
        configuration.answer = PresignedAnswer(
            url: section.text("answer.url") ?? usual.url, id: section.text("answer.id") ?? usual.id,
            expires: section.text("answer.expires") ?? usual.expires,
            headers: section.text("answer.headers") ?? usual.headers)
        configuration.sendsContentMD5 = section.isTrue("contentMD5")
        if section.has("complete") { configuration.completion = try Self.completion(section.section("complete")) }
        if section.has("status") { configuration.status = try Self.status(section.section("status")) }
        configuration.tls = web.tls
        configuration.times = web.times
    }

    private static func completion(_ section: SettingsSection) throws(ProgramError) -> PresignedCompletion {
        PresignedCompletion(
            url: try section.needed("url"), method: section.text("method") ?? "POST",
            doneStatuses: Set(section.list("doneStatuses").compactMap { Int($0) }),
            sendsAgainWhenAbsent: section.isTrue("sendAgainWhenAbsent"))
    }

    private static func status(_ section: SettingsSection) throws(ProgramError) -> PresignedStatus {
        _ = try section.needed("done")
        return PresignedStatus(
            url: try section.needed("url"), path: section.text("path") ?? "status", done: Set(section.list("done")),
            failed: Set(section.list("failed")), open: Set(section.list("open")),
            askAgainSeconds: section.seconds("askAgain") ?? 5)
    }

    func destination(_ context: DestinationContext) throws(ProgramError) -> any Destination {
        var endpoint = configuration
        endpoint.headers = try context.headers(web)
        endpoint.limits = context.limits
        if !fields.isEmpty {
            endpoint.fields = [:]
            for (field, secret) in fields {
                endpoint.fields[field] = try context.resolve(secret, "request.fields.\(field)")
            }
        }
        let client = try context.client(web.route)
        return try context.make { [endpoint] () throws(UploadError) in
            try PresignedDestination(endpoint, client: client)
        }
    }
}
