import Foundation
import Testing

/// A change that a user makes to a file while a worker uploads it.
enum SourceChange: String, CaseIterable {
    case rewritten, truncated, grown, deleted, replaced

    func apply(to file: URL) throws {
        switch self {
        case .rewritten:
            // In a range that was read already: only the modification time shows the change.
            let handle = try FileHandle(forUpdating: file)
            try handle.write(contentsOf: Data("other".utf8))
            try handle.close()
        case .truncated: try #require(truncate(file.path, 5 << 20) == 0)
        case .grown:
            let handle = try FileHandle(forUpdating: file)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("more".utf8))
            try handle.close()
        case .deleted: try FileManager.default.removeItem(at: file)
        case .replaced:
            let other = file.appendingPathExtension("new")
            try FileManager.default.copyItem(at: file, to: other)
            try #require(rename(other.path, file.path) == 0)
        }
    }
}
