import Foundation
import Testing
import UploadDestinations
import Uploads

@testable import UploadBootstrap

/// Plans of what differs from the files of a directory.
struct ChangeCheckTests {
    private struct Provider: DestinationProvider {
        let destination: any Destination

        func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
            if case .named(let name, _) = reference, name.rawValue == "unknown" { return nil }
            return destination
        }
    }

    private let files: Files
    private let there: Files

    init() throws {
        files = try Files()
        there = try Files()
    }

    private func plan(_ test: ChangeTest, to destination: String = "shelf:") async throws -> EnqueuePlan {
        var request = EnqueueRequest(
            paths: [FilePath("\(files.path)/in")], destination: try DestinationArgument(destination))
        request.changed = test
        var planner = try EnqueuePlanner(request)
        let directory = DirectoryDestination(
            DirectoryConfiguration(path: destination.contains("///") ? "/" : there.path))
        let check = try ChangeCheck(test, at: request.destination.reference, Provider(destination: directory))
        try await check.list(below: request.destination.listedPrefix(day: planner.day), into: planner.file)
        try planner.addPaths()
        return try await check.settle(try planner.finish())
    }

    private func keys(_ plan: EnqueuePlan) -> [String] { plan.uploads.map(\.path.description.lastPathComponent) }

    private func age(_ path: String, by seconds: TimeInterval) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: path)
    }

    @Test func `only new and changed files are left, with positions that close up`() async throws {
        for number in 0..<300 {
            try age(files.write("in/\(number)", "\(number)"), by: 100)
            if !number.isMultiple(of: 100) { _ = try there.write("\(number)", "\(number)") }
        }
        _ = try files.write("in/7", "8")
        try age(files.write("in/250", "longer"), by: 100)
        let plan = try await plan(.sizeAndTime)
        #expect(Set(keys(plan)) == ["0", "100", "200", "7", "250"])
        #expect(plan.count == 5 && plan.unchangedCount == 295)
        #expect(plan.uploads.map(\.id) == plan.uploads.map(\.id).sorted())
        #expect(try plan.file.bytesTotal() == 1 + 3 + 3 + 1 + 6)
    }

    @Test func `by digest, equal bytes are no change whatever their times, and other bytes are one`() async throws {
        for name in ["same", "other", "empty"] {
            let text = name == "empty" ? "" : "12345"
            _ = try files.write("in/\(name)", text)
            try age(there.write(name, text), by: 100)
        }
        try age(files.write("in/other", "12346"), by: 1000)
        #expect(try await keys(plan(.digest)) == ["other"])
        #expect(try await Set(keys(plan(.sizeAndTime))) == ["same", "empty"])
    }

    @Test func `many objects are looked at, each once`() async throws {
        for number in 0..<300 {
            _ = try files.write("in/\(number)", "\(number % 7)")
            _ = try there.write("\(number)", number.isMultiple(of: 50) ? "x" : "\(number % 7)")
        }
        let plan = try await plan(.digest)
        #expect(Set(keys(plan)) == ["0", "50", "100", "150", "200", "250"])
        #expect(plan.unchangedCount == 294)
    }

    @Test func `a key with placeholders, and a file's URL, are compared as well`() async throws {
        try age(files.write("in/a.jpg", "1"), by: 100)
        try age(files.write("in/b ü.jpg", "1"), by: 100)
        _ = try there.write("pets/a-copy.jpg", "1")
        _ = try there.write("b ü.jpg", "1")
        #expect(try await keys(plan(.sizeAndTime, to: "shelf:pets/{stem}-copy.{ext}")) == ["b ü.jpg"])
        #expect(try await keys(plan(.sizeAndTime, to: "file://\(there.path)/")) == ["a.jpg"])
    }

    @Test func `what cannot be compared is refused`() async throws {
        func refusal(_ destination: String, paths: [String] = ["x"]) throws -> ProgramError? {
            var request = EnqueueRequest(
                paths: paths.map { FilePath($0) }, destination: try DestinationArgument(destination))
            request.changed = .digest
            return #expect(throws: ProgramError.self) {
                var planner = try EnqueuePlanner(request)
                try planner.addPaths()
                _ = try planner.finish()
            }
        }
        #expect(try refusal("x:{sha256}")?.description.contains("--if-exists skip") == true)
        #expect(try refusal("x:y", paths: ["-"])?.description.contains("--changed") == true)
        #expect(try refusal("x:", paths: ["data:,hello"])?.exitCode == .usage)
        let web = HTTPDestination(HTTPConfiguration())
        let refused = #expect(throws: ProgramError.self) {
            try ChangeCheck(.digest, at: .named(DestinationName("web"), key: ""), Provider(destination: web))
        }
        #expect(refused?.exitCode == .usage)
        let unknown = #expect(throws: ProgramError.self) {
            try ChangeCheck(.digest, at: .named(DestinationName("unknown"), key: ""), Provider(destination: web))
        }
        #expect(unknown?.exitCode == .configuration)
    }
}
