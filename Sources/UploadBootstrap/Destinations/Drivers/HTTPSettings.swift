import UploadDestinations
import Uploads

/// A destination of the driver `http`: a server that takes files by PUT or POST.
struct HTTPSettings: DriverSettings {
    static let driverName = HTTPDestination.driverName

    static let keys: [ConfigurationKey] =
        WebSettings.keys + [.method, .keyInURL, .answerURL, .authentication, .profile, .partSize] + requests + answers

    private static let requests: [ConfigurationKey] = [
        .destination("clientID", .secret, "the application's Client-ID, of the profile imgur"),
        .destination("form.file", .text, "sends a form (multipart/form-data) with the file under this name"),
        .destination(
            "form.filename", .text, standard: "{name}", "the file's name in the form, a template"),
        .destination(
            "form.fields.*", .text,
            "a further field, a template such as {metadata.title}; jobs that lack the named value are sent without the field"
        ),
        .destination("form.secretFields.*", .secret, "a further field whose value is never shown"),
        .destination(
            "jobHeaders.*", .text,
            "a header of each upload, a template such as {job}; jobs that lack the named value are sent without the header"
        ),
        .destination(
            "idempotencyKey", .boolean, standard: "false",
            "whether uploads carry an Idempotency-Key, the same for each attempt"),
        .destination(
            "ranges", .boolean, standard: "false",
            "whether large files go up in ranges (Content-Range), for servers that write them in place"),
        .destination(
            "sizeMaximum", .bytes(1...(1 << 60)),
            "larger files are refused before they are sent; no limit if left out, of imgur 20MiB"),
    ]

    private static let answers: [ConfigurationKey] = [
        .destination(
            "answersHead", .boolean, standard: "false",
            "whether the server answers HEAD with the size and digest of a stored file"),
        .destination(
            "success", .list(.text), standard: "200-299",
            "statuses that count as success, such as [200, 201-204, 303]"),
    ]

    /// Everything but secrets and limits.
    var configuration: HTTPConfiguration
    /// How the worker reaches the server.
    var web: WebSettings
    /// Of the profile `imgur`.
    var clientID: Secret?
    var secretFields: [String: Secret]

    init(_ section: SettingsSection) throws(ProgramError) {
        try Self.checkKeysFitTogether(section)
        let profile = try Self.profile(section)
        configuration = try section.checked("profile") { () throws(UploadError) in
            switch profile {
            case .imgur: try HTTPConfiguration.imgur()
            case nil: HTTPConfiguration()
            }
        }
        web = try WebSettings(section, standardURL: configuration.url)
        configuration.url = web.url
        configuration.tls = web.tls
        configuration.times = web.times
        clientID = section.secret("clientID")
        secretFields = section.secrets(below: "form.secretFields")
        try readRequests(section)
        if configuration.appendsKey { try web.checkIsBase(section) }
        if profile == .imgur, clientID == nil, web.authorization == nil, web.bearerToken == nil {
            _ = try section.needed("clientID")
        }
    }

    private mutating func readRequests(_ section: SettingsSection) throws(ProgramError) {
        if let file = section.text("form.file") {
            configuration.form = try section.checked("form.file") { () throws(UploadError) in try HTTPForm(file: file) }
            configuration.method = .post
        }
        if let name = try Self.template("form.filename", section) { configuration.form?.filename = name }
        for (name, field) in try Self.templates(below: "form.fields", section) {
            configuration.form?.fields[name] = field
        }
        configuration.jobHeaders = try Self.templates(below: "jobHeaders", section)
        if let method = section.text("method").flatMap({ HTTPConfiguration.Method(rawValue: $0) }) {
            configuration.method = method
        }
        if section.text("keyInURL") == "false" { configuration.appendsKey = false }
        configuration.sendsIdempotencyKey = section.isTrue("idempotencyKey")
        configuration.ranges = section.isTrue("ranges")
        configuration.answersHead = section.isTrue("answersHead")
        configuration.partBytes = try section.partBytes() ?? configuration.partBytes
        configuration.sizeMaximum = section.bytes("sizeMaximum") ?? configuration.sizeMaximum
        configuration.answerURL = section.text("answer.url") ?? configuration.answerURL
        let success = section.list("success")
        if !success.isEmpty {
            configuration.success = try section.checked("success") { () throws(UploadError) in
                try HTTPStatuses(success)
            }
        }
    }

    /// - Throws: `configuration` for keys of which one makes the other meaningless.
    private static func checkKeysFitTogether(_ section: SettingsSection) throws(ProgramError) {
        if section.has("profile") {
            for key in ["method", "keyInURL", "form.file", "answer.url", "ranges", "answersHead"]
            where section.has(key) {
                throw section.problem(key, "is part of the profile; leave one of them out")
            }
            return
        }
        if section.has("clientID") {
            throw section.problem("clientID", "goes with the profile imgur; give both, or leave it out")
        }
        let isForm = section.text("form.file") != nil
        for key in ["form.fields", "form.secretFields", "form.filename"] where section.has(key) && !isForm {
            throw section.problem(key, "goes with form.file, the name of the file's field; give both, or leave it out")
        }
        let method = section.text("method") ?? (isForm ? "POST" : "PUT")
        if method == "PUT", section.text("keyInURL") == "false" {
            throw section.problem("keyInURL", "a PUT always names what it stores; use method POST, or leave it out")
        }
        if method == "POST" || isForm {
            for key in ["ranges", "answersHead"] where section.isTrue(key) {
                throw section.problem(key, "goes with a plain PUT only; leave it out")
            }
        }
        if section.isTrue("ranges"), section.isTrue("idempotencyKey") {
            throw section.problem("idempotencyKey", "makes no sense with ranges; leave one of them out")
        }
        if section.has("partSize"), !section.isTrue("ranges") {
            throw section.problem("partSize", "goes with ranges; give both, or leave it out")
        }
    }

    /// - Throws: `configuration` for a profile that this version does not have.
    private static func profile(_ section: SettingsSection) throws(ProgramError) -> HTTPProfile? {
        guard let text = section.text("profile") else { return nil }
        if let profile = HTTPProfile(rawValue: text) { return profile }
        let known = HTTPProfile.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw section.problem("profile", "'\(text)': expected \(known)")
    }

    private static func template(_ key: String, _ section: SettingsSection) throws(ProgramError) -> JobTemplate? {
        guard let text = section.text(key) else { return nil }
        return try section.checked(key) { () throws(UploadError) in try JobTemplate(text) }
    }

    private static func templates(
        below key: String, _ section: SettingsSection
    ) throws(ProgramError) -> [String: JobTemplate] {
        var templates: [String: JobTemplate] = [:]
        for name in section.texts(below: key).keys.sorted() {
            templates[name] = try template("\(key).\(name)", section)
        }
        return templates
    }
}

extension HTTPSettings {
    /// Secrets from files are read again for each step.
    func destination(_ context: DestinationContext) throws(ProgramError) -> any Destination {
        let server = try configuration(context)
        let client = try context.client(web.route)
        guard hasFiles else { return HTTPDestination(server, client: client) }
        return HTTPDestination(server, client: client) { () throws(UploadError) in
            do throws(ProgramError) {
                return try configuration(context)
            } catch {
                // The file was there at the start, so it may come back.
                throw UploadError(.misconfigured, error.description, retry: .afterBackoff)
            }
        }
    }

    private func configuration(_ context: DestinationContext) throws(ProgramError) -> HTTPConfiguration {
        var server = configuration
        server.limits = context.limits
        server.headers = try context.headers(web)
        server.digest = try context.digest(web)
        if let clientID {
            server.headers["Authorization"] = "Client-ID \(try context.resolve(clientID, "clientID"))"
        }
        for (field, secret) in secretFields {
            server.form?.secretFields[field] = try context.resolve(secret, "form.secretFields.\(field)")
        }
        return server
    }

    /// Whether a secret may change while the program runs.
    private var hasFiles: Bool {
        let secrets =
            [web.password, web.bearerToken, web.authorization, clientID].compactMap { $0 } + web.headers.values
            + secretFields.values
        return secrets.contains { if case .file = $0 { true } else { false } }
    }
}
