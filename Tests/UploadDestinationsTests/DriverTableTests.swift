import Foundation
import Testing
import Uploads

@testable import UploadDestinations

/// The table of drivers in the documentation is made of these values; a test proves each of them.
@Suite struct DriverTableTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let article = package.appending(path: "Sources/Uploads/Uploads.docc/Drivers.md")

    @Test func `the article has the table`() throws {
        var lines = try String(contentsOf: Self.article, encoding: .utf8).components(separatedBy: "\n")
        let first = try #require(lines.firstIndex { $0.hasPrefix("|") || $0 == "TABLE" })
        let end = lines[first...].firstIndex { !$0.hasPrefix("|") && $0 != "TABLE" } ?? lines.endIndex
        let table = DriverTable.markdown.components(separatedBy: "\n")
        if ProcessInfo.processInfo.environment["LONGSHORE_WRITE_TABLES"] != nil {
            lines.replaceSubrange(first..<end, with: table)
            try Data(lines.joined(separator: "\n").utf8).write(to: Self.article)
            return
        }
        #expect(Array(lines[first..<end]) == table, "LONGSHORE_WRITE_TABLES=1 writes it anew")
    }

    @Test func `every claim has a test`() throws {
        let folder = Self.package.appending(path: "Tests/UploadDestinationsTests")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        for row in DriverTable.rows {
            for test in row.claims.compactMap(\.shownBy) {
                let parts = test.split(separator: ".", maxSplits: 1).map(String.init)
                let file = try #require(files.first { $0.hasSuffix("\(parts[0]).swift") }, "\(row.driver): \(parts[0])")
                let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                #expect(source.contains("func `\(parts[1])`"), "\(row.driver): \(test)")
            }
        }
    }

    /// Every driver has a folder and a row.
    @Test func `no driver is left out`() throws {
        let folder = Self.package.appending(path: "Sources/UploadDestinations")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let names = try files.filter { $0.hasSuffix("Destination.swift") }.compactMap { file in
            let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            return source.firstMatch(of: /static let driverName = "([a-z0-9]+)"/).map { String($0.1) }
        }
        #expect(Set(names) == Set(DriverTable.rows.map(\.driver)))
    }
}
