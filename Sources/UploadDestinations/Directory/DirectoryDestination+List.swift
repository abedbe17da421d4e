import Foundation
import Glibc
import LinuxFiles
public import Uploads

/// Lists the files of the directory with their marks. Links are not followed, and not listed.
extension DirectoryDestination: ListableDestination {
    public func list(
        below prefix: String, _ take: @escaping @Sendable ([ListedObject]) throws(UploadError) -> Void
    ) async throws(UploadError) {
        let list = DirectoryList(configuration: configuration, prefix: prefix)
        try await Blocking.run { () throws(UploadError) in try list.walk(take) }
    }
}

/// Every call blocks.
private struct DirectoryList {
    /// The objects that are handed on at once.
    static let pageCount = 1000

    let configuration: DirectoryConfiguration
    let prefix: String

    func walk(_ take: ([ListedObject]) throws(UploadError) -> Void) throws(UploadError) {
        let root = try configuration.openRoot()
        // The last component of the prefix may be the beginning of a name.
        var waiting = [prefix.pathComponents.dropLast().joined(separator: "/")]
        while let path = waiting.popLast() {
            guard !Task.isCancelled else { throw UploadError(.interrupted, "the listing was interrupted") }
            let below = path.isEmpty ? "" : path + "/"
            guard let (directory, names) = try contents(of: path, in: root, &waiting) else { continue }
            for start in stride(from: 0, to: names.count, by: Self.pageCount) {
                let page = names[start..<min(start + Self.pageCount, names.count)]
                var objects: [ListedObject] = []
                do throws(SystemError) {
                    for name in page {
                        if let object = try object(name, in: directory, below: below) { objects.append(object) }
                    }
                } catch {
                    throw UploadError(directory: error)
                }
                try take(objects)
            }
        }
    }

    /// - Returns: the names that are no directories; nil where there is no such directory, or none any more.
    private func contents(
        of path: String, in root: Directory, _ waiting: inout [String]
    ) throws(UploadError) -> (Directory, [String])? {
        do throws(SystemError) {
            let directory = path.isEmpty ? root : try root.openDirectory(beneath: path)
            return (directory, try visit(directory, below: path.isEmpty ? "" : path + "/", &waiting))
        } catch {
            if [ENOENT, ENOTDIR].contains(error.number) { return nil }
            throw UploadError(directory: error)
        }
    }

    private func visit(
        _ directory: Directory, below path: String, _ waiting: inout [String]
    ) throws(SystemError) -> [String] {
        var names: [String] = []
        try directory.forEachEntry { name, kind throws(SystemError) in
            let key = path + name
            guard !DirectoryTarget.isReserved(name), key.hasBytePrefix(prefix) || prefix.hasBytePrefix(key + "/")
            else { return true }
            var kind = kind
            if kind == nil { kind = try directory.status(of: name)?.kind }
            switch kind {
            case .directory: waiting.append(key)
            case .regular: names.append(name)
            case .symbolicLink, .other, nil: break
            }
            return true
        }
        return names
    }

    /// - Returns: nil when the file is gone.
    private func object(
        _ name: String, in directory: Directory, below path: String
    ) throws(SystemError) -> ListedObject? {
        guard let status = try directory.status(of: name), status.kind == .regular else { return nil }
        var mark: DirectoryMark?
        do throws(SystemError) {
            mark = try DirectoryMark.read(name, in: directory, of: status)
        } catch {
            guard error.number == ENOENT || error.number == ELOOP else { throw error }
            return nil
        }
        return ListedObject(
            key: path + name, size: status.size, modifiedAt: status.modifiedAt,
            writer: mark.flatMap { WireJSON.date($0.enqueuedAt) }.map { .job(enqueuedAt: $0) } ?? .unmarked)
    }
}
