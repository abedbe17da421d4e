import UploadDestinations

/// The keys of the driver `http` alone.
extension ConfigurationKey {
    static let http: [ConfigurationKey] = httpRequests + httpAnswers

    private static let httpRequests: [ConfigurationKey] = [
        .init(
            "destinations.*.clientID", .secret, owners: ["http"], "of the profile imgur: the application's Client-ID"),
        .init(
            "destinations.*.form.file", .text, owners: ["http"],
            "sends a form (multipart/form-data) with the file under this name"),
        .init(
            "destinations.*.form.filename", .text, owners: ["http"],
            "what the file is called in the form, a template; {name} if left out"),
        .init(
            "destinations.*.form.fields.*", .text, owners: ["http"],
            "a further field, a template such as {metadata.title}; left out of jobs that lack what it names"),
        .init(
            "destinations.*.form.secretFields.*", .secret, owners: ["http"],
            "a further field whose value is never shown"),
        .init(
            "destinations.*.jobHeaders.*", .text, owners: ["http"],
            "a header of each upload, a template such as {job}; left out of jobs that lack what it names"),
        .init(
            "destinations.*.idempotencyKey", .boolean, owners: ["http"],
            "whether uploads carry an Idempotency-Key, the same for each attempt; false if left out"),
        .init(
            "destinations.*.ranges", .boolean, owners: ["http"],
            "whether large files go up in ranges (Content-Range), for servers that write them in place; false if left out"
        ),
        .init(
            "destinations.*.sizeMaximum", .bytes(1...(1 << 60)), owners: ["http"],
            "larger files are refused before they are sent; no limit if left out, of imgur 20MiB"),
    ]

    private static let httpAnswers: [ConfigurationKey] = [
        .init("destinations.*.answersHead", .boolean, owners: ["http"], "whether HEAD tells what lies there"),
        .init(
            "destinations.*.success", .list(.text), owners: ["http"],
            "statuses that count as success, such as [200, 201-204, 303]; 200-299 if left out"),
    ]
}
