import Foundation
import Testing

/// What somebody does to a file while it is being uploaded.
enum SourceChange: String, CaseIterable {
    case rewritten, truncated, grown, deleted, replaced

    func apply(to file: URL) throws {
        switch self {
        case .rewritten:
            // Where it was read already: only the time tells.
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
