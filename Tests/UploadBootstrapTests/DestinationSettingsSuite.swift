import Testing
import Uploads

@testable import UploadBootstrap

/// Helpers for the tests of one driver's keys. The lines configure the destination `a`.
protocol DestinationSettingsSuite {
    static var driver: String { get }
    var files: Files { get }
}

extension DestinationSettingsSuite {
    func configuration(_ lines: String) throws -> UploadConfiguration {
        let yaml =
            "destinations:\n  a:\n    driver: \(Self.driver)\n"
            + lines.split(separator: "\n").map { "    \($0)\n" }.joined()
        let environment = ["TOKEN": "swordfish", "PASSWORD": "swordfish", "CLIENT": "546c25a59c58ad7"]
        return try UploadConfiguration(try files.input(yaml, environment: environment))
    }

    func driver(_ lines: String) throws -> any DriverSettings {
        try #require(try configuration(lines).destinations?[DestinationName(unchecked: "a")]?.driver)
    }

    /// Why a worker would not start with the lines; nil if it would.
    func problem(_ lines: String) -> String? {
        do {
            _ = try DestinationRegistry(try configuration(lines))
            return nil
        } catch let error as ProgramError {
            return error.problems.first
        } catch {
            return "\(error)"
        }
    }
}

extension UploadConfiguration {
    /// The headers of every request to a destination of this configuration.
    func headers(of name: DestinationName, _ web: WebSettings) throws -> [String: String] {
        try DestinationContext(name, self, HTTPClients()).headers(web)
    }
}
