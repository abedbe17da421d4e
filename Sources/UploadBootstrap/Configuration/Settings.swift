import Foundation
import Uploads

/// All values from all origins: the command line wins over the environment, the environment over the file, the file over the defaults.
struct Settings: Sendable {
    /// By path, `destinations.photos.driver`.
    private(set) var values: [String: Setting] = [:]
    /// All paths, sorted by their bytes.
    private let sortedPaths: [String]
    /// Whether the file or the environment has a section of destinations.
    private(set) var hasDestinations = false
    /// Oddities that are no errors: variables of the environment that begin with `UPLOAD_` and set no key.
    private(set) var warnings: [String] = []
    /// The path of the file that was read; nil: no file.
    let file: String?
    /// The working directory, where relative paths of the command line and the environment begin.
    let directory: String

    /// - Throws: `configuration` with every problem found, each with its place, its key and the expected value.
    init(_ input: ConfigurationInput) throws(ProgramError) {
        directory = input.directory
        var problems: [String] = []
        for key in ConfigurationKey.all where !key.path.contains("*") {
            if let standard = input.standards[key.path] ?? key.standard {
                values[key.path] = Setting(standard, .standard)
            }
        }
        let path = ConfigurationFile.locate(
            input.file ?? input.environment["UPLOAD_CONFIG"].flatMap { $0.isEmpty ? nil : $0 },
            directory: input.directory)
        file = path
        if let path {
            let file = try ConfigurationFile(path: path, directory: input.directory)
            problems += file.problems
            hasDestinations = file.sections.contains("destinations")
            values.merge(file.settings) { $1 }
        }
        let variables = ConfigurationVariables(input.environment.keys, names: Self.names(in: values.keys))
        for (variable, text) in input.environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix("UPLOAD_") && variable != "UPLOAD_CONFIG" && !text.isEmpty {
            guard let path = variables.path(of: variable) else {
                let nearest = variables.nearest(to: variable)
                warnings.append(
                    "environment \(variable) is not used" + (nearest.map { "; did you mean \($0)?" } ?? ""))
                continue
            }
            if path[0] == "destinations" { hasDestinations = true }
            let isList = ConfigurationKey.find(path)?.kind.isList ?? false
            let items = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            values[path.joined(separator: ".")] = Setting(
                isList ? .list(items) : .text(text), .environment(variable: variable))
        }
        values.merge(input.commandLine) { $1 }
        sortedPaths = values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        problems += malformed()
        guard problems.isEmpty else { throw ProgramError(.configuration, problems: problems) }
    }

    /// The names that the user gave, by their section: `photos` in `destinations`.
    private static func names(in paths: some Sequence<String>) -> [String: Set<String>] {
        paths.reduce(into: [:]) { names, path in
            let parts = path.split(separator: ".", maxSplits: 2).map(String.init)
            if parts.count > 2 { names[parts[0], default: []].insert(parts[1]) }
        }
    }

    /// Whether a value is the default.
    func isStandard(_ path: String) -> Bool {
        if case .standard? = values[path]?.origin { true } else { false }
    }

    /// All paths below a section such as `destinations.photos`, sorted. A binary search: each of a thousand destinations calls this.
    func paths(below section: String) -> [String] {
        let prefix = section + "."
        var (low, high) = (0, sortedPaths.count)
        while low < high {
            let middle = (low + high) / 2
            if sortedPaths[middle].utf8.lexicographicallyPrecedes(prefix.utf8) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return Array(sortedPaths[low...].prefix { $0.hasBytePrefix(prefix) })
    }

    private func malformed() -> [String] {
        sortedPaths.flatMap { path -> [String] in
            guard let setting = values[path],
                let key = ConfigurationKey.find(path.split(separator: ".").map(String.init))
            else { return [] }
            return setting.value.items.filter { !key.kind.accepts($0) }.map { item in
                "\(setting.origin): \(path): '\(key.kind.shown(item))': expected \(key.kind.expectation)"
            }
        }
    }
}
