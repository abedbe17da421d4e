import Uploads

/// The values of one section such as `destinations.photos`, by their keys below it: `bucket`, `form.file`. ``Settings/init(_:)`` has checked
/// them all.
struct SettingsSection: Sendable {
    /// The section's own path.
    let base: String
    let settings: Settings

    init(_ base: String, _ settings: Settings) {
        self.base = base
        self.settings = settings
    }

    /// A section below this one.
    func section(_ key: String) -> SettingsSection { SettingsSection(full(key), settings) }

    func text(_ key: String) -> String? { settings.text(full(key)) }

    /// Whether the key is set to `true`.
    /// - Parameter otherwise: the value of a key that is left out.
    func isTrue(_ key: String, otherwise: Bool = false) -> Bool { text(key).map { $0 == "true" } ?? otherwise }

    func list(_ key: String) -> [String] { settings.list(full(key)) }

    func integer(_ key: String) -> Int? { settings.integer(full(key)) }

    func seconds(_ key: String) -> Double? { settings.seconds(full(key)) }

    func bytes(_ key: String) -> Int64? { settings.bytes(full(key)) }

    func secret(_ key: String) -> Secret? { settings.secret(full(key)) }

    func secrets(_ key: String) -> [Secret] { settings.secrets(full(key)) }

    /// An absolute path: a relative one in the file begins at the file's folder.
    func path(_ key: String) -> String? { settings.path(full(key)) }

    /// The entries of a section whose names the user gives, such as `headers`.
    func texts(below key: String) -> [String: String] { entries(below: key) { settings.text($0) } }

    /// The same for secrets.
    func secrets(below key: String) -> [String: Secret] { entries(below: key) { settings.secret($0) } }

    /// Whether the key, or one below it, has a value.
    func has(_ key: String) -> Bool {
        let path = full(key)
        return settings.values[path] != nil || !settings.paths(below: path).isEmpty
    }

    /// Where the key's value was written, for errors: `upload.yaml:7: destinations.photos.bucket`; of a section the place of its first value.
    func place(_ key: String) -> String {
        let path = full(key)
        guard settings.values[path] == nil, let first = settings.paths(below: path).first else {
            return settings.place(path)
        }
        return settings.place(first)
    }

    /// The error for a key's value: its place, and the text.
    func problem(_ key: String, _ text: String) -> ProgramError {
        ProgramError(.configuration, "\(place(key)): \(text)")
    }

    /// - Throws: `configuration` when the key has no value.
    func needed(_ key: String) throws(ProgramError) -> String { try needed(key, text(key)) }

    /// - Throws: `configuration` when the key has no value.
    func neededPath(_ key: String) throws(ProgramError) -> String { try needed(key, path(key)) }

    /// A value that a driver's own type checks.
    /// - Throws: `configuration` with the key's place for what the type refuses.
    func checked<Value>(_ key: String, _ make: () throws(UploadError) -> Value) throws(ProgramError) -> Value {
        do throws(UploadError) {
            return try make()
        } catch {
            throw problem(key, error.message)
        }
    }

    /// The driver or kind that the section is of, once it is certain that each of its keys belongs to that driver or kind.
    /// - Parameter key: `driver` or `kind`.
    func owner(by key: String) throws(ProgramError) -> String {
        let owner = try needed(key)
        for path in settings.paths(below: base) {
            let found = ConfigurationKey.find(path.split(separator: ".").map(String.init))
            let others = found?.owners ?? []
            guard others.isEmpty || others.contains(owner) else {
                throw ProgramError(
                    .configuration,
                    "\(settings.place(path)): is no key of \(key) '\(owner)' (but of '\(others.joined(separator: "', '"))'); remove it"
                )
            }
        }
        return owner
    }

    private func full(_ key: String) -> String { "\(base).\(key)" }

    private func entries<Value>(below key: String, _ value: (String) -> Value?) -> [String: Value] {
        let section = full(key)
        return settings.paths(below: section).reduce(into: [:]) { entries, path in
            entries[path.dropping(bytes: section.utf8.count + 1)] = value(path)
        }
    }

    private func needed(_ key: String, _ value: String?) throws(ProgramError) -> String {
        if let value { return value }
        var components = full(key).split(separator: ".")
        let name = components.removeLast()
        let section = components.joined(separator: ".")
        throw ProgramError(.configuration, "\(firstPlace(in: section)): '\(name)' is missing")
    }

    /// A section, and the first line of the file that has a value of it.
    private func firstPlace(in section: String) -> String {
        let first = settings.paths(below: section).compactMap { settings.values[$0]?.origin }.min { left, right in
            guard case .file(_, let a) = left, case .file(_, let b) = right else { return false }
            return a < b
        }
        return first.map { "\($0): \(section)" } ?? section
    }
}
