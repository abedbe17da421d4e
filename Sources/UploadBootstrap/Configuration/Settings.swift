import Foundation
import Uploads

/// All values from all places: the command line before the environment before the file before the defaults.
struct Settings: Sendable {
    /// By path, `destinations.photos.driver`.
    private(set) var values: [String: Setting] = [:]
    /// Whether the file or the environment speaks of destinations at all.
    private(set) var hasDestinations = false
    /// What is odd, but no error: variables that look like ours and are not.
    private(set) var warnings: [String] = []
    /// The file that was read, as the user would name it.
    let file: String?
    /// Where relative paths of the command line and the environment begin.
    let directory: String

    /// - Throws: `configuration` with every problem found, each with its place, its key and what was expected.
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
        readEnvironment(input.environment)
        values.merge(input.commandLine) { $1 }
        problems += malformed()
        guard problems.isEmpty else { throw ProgramError(.configuration, problems: problems) }
    }

    private mutating func readEnvironment(_ environment: [String: String]) {
        var names: [String: Set<String>] = [:]
        for path in values.keys {
            let parts = path.split(separator: ".").map(String.init)
            if parts.count > 2 { names[parts[0], default: []].insert(parts[1]) }
        }
        var known: [String: [String]] = [:]
        for key in ConfigurationKey.all {
            let components = key.components
            guard components.contains("*") else {
                known[ConfigurationKey.variable(components)] = components
                continue
            }
            // A name is known from the file, or given by the variable of its driver or kind.
            let before = "UPLOAD_\(components[0].uppercased())_"
            let given = environment.keys.compactMap { variable -> String? in
                guard variable.hasPrefix(before) else { return nil }
                for after in ["_DRIVER", "_KIND"] where variable.hasSuffix(after) {
                    return variable.dropFirst(before.count).dropLast(after.count).lowercased()
                }
                return nil
            }
            let fromFile = names[components[0]] ?? []
            let variables = Set(fromFile.map { ConfigurationKey.variable([$0]) })
            for name in fromFile.union(given.filter { !variables.contains(ConfigurationKey.variable([$0])) })
            where components.last != "*" {
                let path = components.map { $0 == "*" ? name : $0 }
                known[ConfigurationKey.variable(path)] = path
            }
        }
        for (variable, text) in environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix("UPLOAD_") && variable != "UPLOAD_CONFIG" && !text.isEmpty {
            guard let path = known[variable] else {
                let nearest = EditDistance.nearest(to: variable, among: known.keys)
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
    }

    private func malformed() -> [String] {
        values.sorted { $0.key < $1.key }.flatMap { path, setting -> [String] in
            guard let key = ConfigurationKey.find(path.split(separator: ".").map(String.init)) else { return [] }
            return setting.value.items.filter { !key.kind.accepts($0) }.map { item in
                "\(setting.origin): \(path): '\(key.kind.shown(item))': expected \(key.kind.expectation)"
            }
        }
    }
}
