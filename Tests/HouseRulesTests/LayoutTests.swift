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

    @Test func everyDestinationAndDelegateFolderHasTheSameFiles() throws {
        for folder in ["Sources/UploadDestinations", "Sources/UploadNotifier/Delegates"] {
            let drivers = try FileManager.default.contentsOfDirectory(
                at: repository.root.appending(path: folder), includingPropertiesForKeys: [.isDirectoryKey]
            ).filter { url in
                let isFolder = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
                return isFolder && url.lastPathComponent != "Support"
            }
            #expect(drivers.count >= 2)
            let suffix = folder.hasSuffix("Delegates") ? "Delegate" : "Destination"
            for driver in drivers {
                let name = driver.lastPathComponent
                let files = try FileManager.default.contentsOfDirectory(atPath: driver.path)
                #expect(files.contains("\(name)\(suffix).swift"), "\(folder)/\(name)")
                #expect(files.contains("\(name)Configuration.swift"), "\(folder)/\(name)")
            }
        }
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
            #expect(file.lines.count <= 600, "\(file) has \(file.lines.count) lines")
        }
    }

    @Test func librariesNeitherPrintNorTrapNorSleepOnAThread() throws {
        let programs: Set = ["enqueue-upload", "upload-worker", "upload-notifier", "uploadctl"]
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
            "deploy/docs",
            ".ci/run",
            "Tests/Performance/compare", "Tests/Performance/soak",
        ] {
            #expect(FileManager.default.isExecutableFile(atPath: repository.root.appending(path: command).path))
        }
    }
}
