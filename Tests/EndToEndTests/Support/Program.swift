import Foundation

/// A name of the built executable: in the directory that `LONGSHORE_PROGRAMS` names, else in one beside the test bundle, which is made
/// here with a link for each name.
enum Program: String, CaseIterable {
    case enqueue = "enqueue-upload"
    case worker = "upload-worker"
    case notifier = "upload-notifier"
    case control = "uploadctl"

    var url: URL { Self.folder.appending(path: rawValue) }

    /// The directory that `LONGSHORE_PROGRAMS` names.
    static let given = ProcessInfo.processInfo.environment["LONGSHORE_PROGRAMS"].map { URL(filePath: $0) }

    static let folder: URL = {
        if let given { return given }
        let folder = built("programs")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Another run of the tests may make them at the same time.
        for program in allCases { _ = symlink("../longshore", folder.appending(path: program.rawValue).path) }
        return folder
    }()

    /// A program that is built for tests and newcomers, an example say: beside the test bundle.
    static func built(_ name: String) -> URL {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
    }
}
