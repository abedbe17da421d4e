import Foundation
import Testing

@Suite struct LayoutTests {
    let repository = Repository()

    @Test func theTopLevelHoldsWhatBelongsThereAndNothingElse() throws {
        let allowed: Set = ["Package.swift", "Sources", "Tests", "deploy", "README.md", "LICENSE", "Package.resolved"]
        let entries = try FileManager.default.contentsOfDirectory(atPath: repository.root.path)
        #expect(entries.filter { !$0.hasPrefix(".") && !allowed.contains($0) } == [])
        #expect(Set(["Package.swift", "Sources", "Tests", "deploy", "README.md"]).isSubset(of: entries))
    }

    /// The article WritingADriver promises it: a folder, a file of settings, and one line in a list.
    @Test func everyDriverIsAFolderASettingsFileAndOneLine() throws {
        try check(
            "Sources/UploadDestinations", files: ["Destination", "Destination+Errors", "Configuration"],
            settings: "Sources/UploadBootstrap/Destinations/Drivers", suffix: "Settings",
            list: "Sources/UploadBootstrap/Destinations/DestinationDrivers.swift")
    }

    @Test func everyKindOfDelegateIsAFolderASettingsFileAndOneLine() throws {
        try check(
            "Sources/UploadNotifier/Delegates", files: ["Delegate", "Configuration", "Configuration+Kind"],
            settings: "Sources/UploadBootstrap/Delegates/Kinds", suffix: "DelegateSettings",
            list: "Sources/UploadBootstrap/Delegates/DelegateKinds.swift")
    }

    /// - Parameters:
    ///   - files: what the names of files in each folder end with.
    ///   - settings: the folder with one file for each, which reads the configuration.
    ///   - list: the file with one line for each.
    private func check(_ folder: String, files: [String], settings: String, suffix: String, list: String) throws {
        let names = try FileManager.default.contentsOfDirectory(
            at: repository.root.appending(path: folder), includingPropertiesForKeys: [.isDirectoryKey]
        ).filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
            .map(\.lastPathComponent).filter { $0 != "Support" }.sorted()
        #expect(names.count >= 2)
        for name in names {
            let found = try FileManager.default.contentsOfDirectory(
                atPath: repository.root.appending(path: "\(folder)/\(name)").path)
            for file in files { #expect(found.contains("\(name)\(file).swift"), "\(folder)/\(name)") }
        }
        let found = try FileManager.default.contentsOfDirectory(atPath: repository.root.appending(path: settings).path)
        #expect(found.sorted() == names.map { "\($0)\(suffix).swift" }.sorted(), "\(settings)")
        let source = try String(contentsOf: repository.root.appending(path: list), encoding: .utf8)
        let lines = source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        for name in names { #expect(lines.filter { $0 == "\(name)\(suffix).self," }.count == 1, "\(list): \(name)") }
    }

    /// Small types that are only used together share a file, whose name describes what they have in common.
    @Test func aFileWithOnePublicTypeIsNamedForItAndOneWithSeveralIsShort() throws {
        let declaration = /^public (?:final )?(?:indirect )?(?:struct|class|enum|actor|protocol) (\w+)/
        for file in try repository.swiftFiles(below: "Sources") {
            let types = file.lines.compactMap { line in line.firstMatch(of: declaration).map { String($0.1) } }
            if types.count > 1 {
                #expect(file.lines.count <= 200, "\(file) holds \(types): one type a file once they are so long")
            } else if let type = types.first {
                #expect(file.name == "\(type).swift" || file.name.hasPrefix("\(type)+"), "\(file) holds \(type)")
            }
        }
    }

    @Test func noFileIsLongerThanOneWantsToRead() throws {
        for file in try repository.swiftFiles(below: "Sources") + repository.swiftFiles(below: "Tests") {
            guard file.lines.first != "// DO NOT EDIT." else { continue }
            #expect(file.lines.count <= 600, "\(file) has \(file.lines.count) lines")
        }
    }

    @Test func librariesNeitherPrintNorTrapNorSleepOnAThread() throws {
        let programs: Set = ["longshore"]
        let forbidden = [" print(", "fatalError(", "try!", " as! ", "Thread.sleep", "usleep(", "TODO", "FIXME"]
        for file in try repository.swiftFiles(below: "Sources") where !programs.contains(file.target) {
            for (number, line) in file.lines.enumerated() {
                for word in forbidden where line.contains(word) && !line.contains("//") {
                    Issue.record("\(file):\(number + 1) has '\(word)'")
                }
            }
        }
    }

    @Test func everyCommandCanBeRun() {
        for command in [
            "deploy/quickstart", "deploy/test", "deploy/install", "deploy/private-broker", "deploy/newer-rabbitmq",
            "deploy/debian-root", "deploy/docs", "deploy/manual", "deploy/package", "deploy/programs",
            ".ci/run",
            "Tests/Performance/compare", "Tests/Performance/soak",
        ] {
            #expect(FileManager.default.isExecutableFile(atPath: repository.root.appending(path: command).path))
        }
    }
}
