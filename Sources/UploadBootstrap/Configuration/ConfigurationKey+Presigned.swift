/// The keys of the driver `presigned` alone.
extension ConfigurationKey {
    private static func key(_ name: String, _ kind: ValueKind, _ summary: String) -> ConfigurationKey {
        .init("destinations.*.\(name)", kind, owners: ["presigned"], summary)
    }

    static let presigned: [ConfigurationKey] = [
        key("request.method", .choice(["POST", "PUT", "GET"]), "how a URL is asked for; POST if left out"),
        key(
            "request.fields.*", .secret,
            "what the request says, such as \"{key}\"; key, size and contentType if left out; may be secret"),
        key("answer.id", .text, "where the upload's id stands, which is no secret; id if left out"),
        key("answer.expires", .text, "where it stands until when the URL is good; expires if left out"),
        key("answer.headers", .text, "where an object with headers for the bytes stands; headers if left out"),
        key("contentMD5", .boolean, "whether the bytes are sent with Content-MD5; costs a second read"),
        key(
            "complete.url", .url(schemes: ["http", "https"]),
            "what is called when the bytes are there; {id} is the upload"),
        key("complete.method", .choice(["POST", "PUT", "PATCH"]), "how; POST if left out"),
        key("complete.doneStatuses", .list(.integer(300...599)), "statuses besides 2xx that say that all is well"),
        key("complete.sendAgainWhenAbsent", .boolean, "whether 404 says that the bytes have to be sent again"),
        key("status.url", .url(schemes: ["http", "https"]), "what is asked what became of them; {id} is the upload"),
        key("status.path", .text, "where in the JSON answer the status stands; status if left out"),
        key("status.done", .list(.text), "statuses that end the job well"),
        key("status.failed", .list(.text), "statuses that fail it"),
        key("status.open", .list(.text), "statuses that say that it was not told yet"),
        key("status.askAgain", .duration(1...3600), "when it is asked again for any other; 5s if left out"),
    ]
}
