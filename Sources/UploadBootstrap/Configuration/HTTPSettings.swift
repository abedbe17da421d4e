public import UploadDestinations
import Uploads

/// A destination of the driver `http` as the configuration names it.
public struct HTTPSettings: Hashable, Sendable {
    /// Everything but secrets and limits.
    public var configuration: HTTPConfiguration
    /// How it is reached.
    public var web: WebSettings
    /// Of Imgur.
    public var clientID: Secret?
    public var secretFields: [String: Secret]

    /// - Throws: `configuration` for a key that is missing or not what it must be.
    init(_ base: String, _ settings: Settings) throws(ProgramError) {
        try Self.checkKeysFitTogether(base, settings)
        let profile = try settings.profile(base)
        configuration = try settings.checked("\(base).profile") { () throws(UploadError) in
            switch profile {
            case .imgur: try HTTPConfiguration.imgur()
            case nil: HTTPConfiguration()
            }
        }
        web = try WebSettings(base, settings, standardURL: configuration.url)
        configuration.url = web.url
        configuration.tls = web.tls
        configuration.times = web.times
        clientID = settings.secret("\(base).clientID")
        secretFields = settings.secrets(below: "\(base).form.secretFields")
        try readRequests(base, settings)
        if configuration.appendsKey { try web.checkIsBase(base, settings) }
        if profile == .imgur, clientID == nil, web.authorization == nil, web.bearerToken == nil {
            _ = try settings.needed("\(base).clientID", settings.text)
        }
    }

    private mutating func readRequests(_ base: String, _ settings: Settings) throws(ProgramError) {
        func isTrue(_ key: String) -> Bool { settings.text("\(base).\(key)") == "true" }
        if let file = settings.text("\(base).form.file") {
            configuration.form = try settings.checked("\(base).form.file") { () throws(UploadError) in
                try HTTPForm(file: file)
            }
            configuration.method = .post
        }
        if let name = try settings.templates(["filename"], below: "\(base).form")["filename"] {
            configuration.form?.filename = name
        }
        let fields = "\(base).form.fields"
        for (name, field) in try settings.templates(settings.texts(below: fields).keys.sorted(), below: fields) {
            configuration.form?.fields[name] = field
        }
        let headers = "\(base).jobHeaders"
        configuration.jobHeaders = try settings.templates(settings.texts(below: headers).keys.sorted(), below: headers)
        if let method = settings.text("\(base).method").flatMap({ HTTPConfiguration.Method(rawValue: $0) }) {
            configuration.method = method
        }
        if settings.text("\(base).keyInURL") == "false" { configuration.appendsKey = false }
        configuration.sendsIdempotencyKey = isTrue("idempotencyKey")
        configuration.ranges = isTrue("ranges")
        configuration.answersHead = isTrue("answersHead")
        configuration.partBytes = try settings.partBytes(base) ?? configuration.partBytes
        configuration.sizeMaximum = settings.bytes("\(base).sizeMaximum") ?? configuration.sizeMaximum
        configuration.answerURL = settings.text("\(base).answer.url") ?? configuration.answerURL
        let success = settings.list("\(base).success")
        if !success.isEmpty {
            configuration.success = try settings.checked("\(base).success") { () throws(UploadError) in
                try HTTPStatuses(success)
            }
        }
    }

    /// - Throws: `configuration` for keys of which one makes the other meaningless.
    private static func checkKeysFitTogether(_ base: String, _ settings: Settings) throws(ProgramError) {
        func paths(_ key: String) -> [String] {
            let path = "\(base).\(key)"
            return (settings.values[path] == nil ? [] : [path]) + settings.paths(below: path)
        }
        func has(_ key: String) -> Bool { !paths(key).isEmpty }
        func isTrue(_ key: String) -> Bool { settings.text("\(base).\(key)") == "true" }
        func refuse(_ key: String, _ problem: String) throws(ProgramError) {
            throw ProgramError(.configuration, "\(settings.place(paths(key).first ?? key)): \(problem)")
        }
        let hasProfile = has("profile")
        if hasProfile {
            for key in ["method", "keyInURL", "form.file", "answer.url", "ranges", "answersHead"] where has(key) {
                try refuse(key, "is part of the profile; leave one of them out")
            }
            return
        }
        if has("clientID") { try refuse("clientID", "goes with the profile imgur; give both, or leave it out") }
        let isForm = settings.text("\(base).form.file") != nil
        for key in ["form.fields", "form.secretFields", "form.filename"] where has(key) && !isForm {
            try refuse(key, "goes with form.file, the name of the file's field; give both, or leave it out")
        }
        let method = settings.text("\(base).method") ?? (isForm ? "POST" : "PUT")
        if method == "PUT", settings.text("\(base).keyInURL") == "false" {
            try refuse("keyInURL", "a PUT always names what it stores; use method POST, or leave it out")
        }
        if method == "POST" || isForm {
            for key in ["ranges", "answersHead"] where isTrue(key) {
                try refuse(key, "goes with a plain PUT only; leave it out")
            }
        }
        if isTrue("ranges"), isTrue("idempotencyKey") {
            try refuse("idempotencyKey", "makes no sense with ranges; leave one of them out")
        }
        if has("partSize"), !isTrue("ranges") { try refuse("partSize", "goes with ranges; give both, or leave it out") }
    }
}

extension Settings {
    /// A value that the driver checks.
    /// - Throws: `configuration` with the key's place.
    func checked<Value>(
        _ path: String, _ make: () throws(UploadError) -> Value
    ) throws(ProgramError) -> Value {
        do throws(UploadError) {
            return try make()
        } catch {
            throw ProgramError(.configuration, "\(place(path)): \(error.message)")
        }
    }

    /// - Throws: `configuration` for one that is not known.
    fileprivate func profile(_ base: String) throws(ProgramError) -> HTTPProfile? {
        guard let text = text("\(base).profile") else { return nil }
        if let profile = HTTPProfile(rawValue: text) { return profile }
        let known = HTTPProfile.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw ProgramError(.configuration, "\(place("\(base).profile")): '\(text)': expected \(known)")
    }

    /// The templates of these names below a section, as far as they are there.
    fileprivate func templates(
        _ names: [String], below section: String
    ) throws(ProgramError) -> [String: JobTemplate] {
        var templates: [String: JobTemplate] = [:]
        for name in names {
            guard let text = text("\(section).\(name)") else { continue }
            templates[name] = try checked("\(section).\(name)") { () throws(UploadError) in try JobTemplate(text) }
        }
        return templates
    }
}
