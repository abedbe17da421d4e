import Foundation
import Testing

@testable import UploadBootstrap

/// The page *Configuration* of the documentation.
struct ConfigurationReferenceTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Uploads/Uploads.docc/Configuration.md")

    private let page = ConfigurationReference.page

    @Test func `the page is the one that the keys give`() throws {
        if ProcessInfo.processInfo.environment["LONGSHORE_WRITE_REFERENCE"] != nil {
            try Data(page.utf8).write(to: Self.file)
        }
        let written = (try? String(contentsOf: Self.file, encoding: .utf8)) ?? ""
        let lines = written.split(separator: "\n", omittingEmptySubsequences: false)
        let wanted = page.split(separator: "\n", omittingEmptySubsequences: false)
        let place = zip(lines, wanted).enumerated().first { $1.0 != $1.1 }
        #expect(
            written == page,
            """
            Configuration.md is not what the keys give (from line \(place.map { $0.offset + 1 } ?? min(lines.count, wanted.count)) on); \
            write it anew: LONGSHORE_WRITE_REFERENCE=1 swift test --filter ConfigurationReferenceTests
            """)
    }

    @Test func `the page has every key once, and the variable that sets it`() throws {
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let environment = [
            "UPLOAD_DESTINATIONS_NAME_DRIVER", "UPLOAD_DELEGATES_NAME_KIND", "UPLOAD_TOKENS_NAME_ROLE",
        ]
        let variables = ConfigurationVariables(environment, names: [:])
        for key in ConfigurationKey.all {
            let found = rows.filter { $0.hasPrefix("| `\(key.path)` ") }
            #expect(found.count == 1, "\(key.path)")
            let row = try #require(found.first)
            guard let variable = row.firstMatch(of: /`(UPLOAD_[A-Z0-9_]+)`/) else {
                #expect(key.components.dropFirst(2).contains("*"), "\(key.path)")
                continue
            }
            let path = key.path.replacing(".*.", with: ".name.")
            #expect(variables.path(of: String(variable.1))?.joined(separator: ".") == path)
        }
    }

    @Test func `a row says what an operator looks for`() {
        #expect(
            page.contains(
                "| `destinations.*.limits.jobs` `UPLOAD_DESTINATIONS_NAME_LIMITS_JOBS` | number, 1 to 10000 |  | "
                    + "upload-worker, upload-notifier | on SIGHUP | jobs at once, in each worker |"))
        #expect(
            page.contains(
                "| `worker.slice` `UPLOAD_WORKER_SLICE` `--slice` | duration, 1s to 2d | `5m` | upload-worker | "
                    + "at the next start | how long a worker carries"))
        #expect(page.contains("| size, 8MiB to 5GiB | `32MiB` (http, resumable, tus), `8MiB` (s3) |"))
        #expect(page.contains("| `20s` (webhook), `60s` (queue), `30s` (command) |"))
        #expect(
            page.contains(
                "| path, `NAME:PREFIX/` or `none` | `STATE/staging` | enqueue-upload, upload-worker, upload-notifier |")
        )
    }
}
