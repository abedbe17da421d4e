import Foundation
import Testing
import UploadTesting

/// Reads YAML as the values of JSON.
enum YAMLFile {
    static func documents(of path: String) async throws -> [Any] {
        let python = try await TestProgram.python(with: "yaml")
        let script = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))"
        let json = try await Spawn.output(of: python, ["-c", script, path]).text
        return try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Any])
    }

    /// The settings that a program shows for a configuration.
    static func settings(of program: Program, _ configuration: String) async throws -> [String: Any] {
        let shown = try await Shell.run(program.url.path, "--config", configuration, "--check-config")
        let scratch = try TemporaryDirectory()
        let file = try scratch.write(shown, to: "settings.yaml")
        return try #require(try await documents(of: file.path).first as? [String: Any])
    }
}
