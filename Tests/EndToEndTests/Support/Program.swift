import Foundation

/// A built program: from the directory that `LONGSHORE_PROGRAMS` names, else beside the test bundle.
enum Program: String {
    case enqueue = "enqueue-upload"
    case worker = "upload-worker"
    case notifier = "upload-notifier"

    var url: URL {
        if let directory = ProcessInfo.processInfo.environment["LONGSHORE_PROGRAMS"] {
            return URL(filePath: directory).appending(path: rawValue)
        }
        return URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: rawValue)
    }
}
