import Foundation
import Testing
import Uploads

@testable import UploadBootstrap

struct ConfigurationSizeTests {
    private let files: Files

    init() throws { files = try Files() }

    /// Each destination has a section of names that the user gives: `headers`.
    private func input(_ count: Int) throws -> ConfigurationInput {
        let destinations = (0..<count).map { number in
            "  d\(number): {driver: http, url: 'https://host/\(number)/', headers: {X-Team: blue}, limits: {jobs: 3}}"
        }
        return try files.input(
            "destinations:\n" + destinations.joined(separator: "\n"),
            environment: ["UPLOAD_DESTINATIONS_D7_LIMITS_JOBS": "5", "UPLOAD_DESTINATIONS_D7_LIMITS_JOB": "1"])
    }

    /// Nanoseconds of the processor for this thread alone, so that tests that run at the same time do not count.
    private func cost(_ count: Int) throws -> Int {
        let input = try input(count)
        func now() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return time.tv_sec * 1_000_000_000 + time.tv_nsec
        }
        let start = now()
        let configuration = try UploadConfiguration(input)
        let text = ConfigurationReport(settings: configuration.settings).text
        let cost = now() - start
        #expect(configuration.destinations?.count == count)
        #expect(configuration.destinations?[DestinationName(unchecked: "d7")]?.limits.jobs == 5)
        #expect(configuration.warnings.first?.contains("did you mean UPLOAD_DESTINATIONS_D7_LIMITS_JOBS?") == true)
        #expect(text.contains("      X-Team: "))
        return cost
    }

    /// If the code looked at all destinations for each destination, eight times as many would cost 64 times as much.
    @Test func `eight times as many destinations cost about eight times as much`() throws {
        let few = try (0..<3).map { _ in try cost(100) }.min() ?? 0
        let many = try (0..<3).map { _ in try cost(800) }.min() ?? 0
        #expect(many < 24 * few, "\(few) ns and \(many) ns")
    }

    @Test(arguments: [
        ("UPLOAD_DESTINATIONS_A_B_DRIVER", "destinations.a-b.driver"),
        ("UPLOAD_DESTINATIONS_A_DRIVER", "destinations.a.driver"),
        ("UPLOAD_DESTINATIONS_A_LIMITS_JOBS", "destinations.a.limits.jobs"), ("UPLOAD_LOG_LEVEL", "log.level"),
        ("UPLOAD_DESTINATIONS_NEW_ONE_DRIVER", "destinations.new_one.driver"),
        ("UPLOAD_DELEGATES_HOOK_KIND", "delegates.hook.kind"), ("UPLOAD_DESTINATIONS_B_PATH", nil),
        ("UPLOAD_DESTINATIONS__DRIVER", nil), ("UPLOAD_DESTINATIONS_\u{C9}_DRIVER", nil),
        ("UPLOAD_DESTINATIONS_A", nil),
        ("UPLOAD_DESTINATIONS_Photos_DRIVER", nil), ("UPLOAD_DESTINATIONS_C-D_DRIVER", nil),
    ])
    func `a variable stands for the key of the longest name that it begins with`(variable: String, path: String?) {
        let variables = ConfigurationVariables(
            [variable], names: ["destinations": ["a", "a-b"], "worker": ["slice"]])
        #expect(variables.path(of: variable)?.joined(separator: ".") == path)
    }

    @Test func `a section that is misspelt is suggested too`() {
        let variables = ConfigurationVariables([], names: ["destinations": ["photos"]])
        #expect(
            variables.nearest(to: "UPLOAD_DESTINATION_PHOTOS_DRIVER") == "UPLOAD_DESTINATIONS_PHOTOS_DRIVER")
        #expect(
            variables.nearest(to: "UPLOAD_DESTINATIONS_PHOTSO_DRIVER") == "UPLOAD_DESTINATIONS_PHOTOS_DRIVER")
    }
}
