import Foundation
public import Uploads

/// Lists folder after folder by PROPFIND, with the marks of jobs where the server keeps properties.
extension WebDAVDestination: ListableDestination {
    public func list(
        below prefix: String, _ take: @escaping @Sendable ([ListedObject]) throws(UploadError) -> Void
    ) async throws(UploadError) {
        // The last component of the prefix may be the beginning of a name.
        var waiting = [prefix.pathComponents.dropLast().joined(separator: "/")]
        while let folder = waiting.popLast() {
            var objects: [ListedObject] = []
            for entry in try await client.entries(of: folder) {
                let key = folder.isEmpty ? entry.name : "\(folder)/\(entry.name)"
                if entry.resource.isFolder {
                    let isInside = key.hasBytePrefix(prefix) || prefix.hasBytePrefix(key + "/")
                    if isInside, key.pathComponents.count < WebDAVLimits.depthMaximum { waiting.append(key) }
                } else if key.hasBytePrefix(prefix), WebDAVTarget.unfinished(entry.name) == nil,
                    let size = entry.resource.size
                {
                    let enqueuedAt = entry.resource.mark.flatMap { WireJSON.date($0.enqueuedAt) }
                    objects.append(
                        ListedObject(
                            key: key, size: size, modifiedAt: entry.resource.modifiedAt,
                            writer: enqueuedAt.map { .job(enqueuedAt: $0) } ?? .unmarked))
                }
            }
            try take(objects)
        }
    }
}

extension WebDAVClient {
    /// The resources directly in a folder, with their names, without the folder itself. A missing folder has none.
    /// - Parameter folder: a path below the destination's folder, not escaped; empty for that folder itself.
    func entries(of folder: String) async throws(UploadError) -> [(name: String, resource: WebDAVResource)] {
        let path = folder.isEmpty ? "" : try URLKey.path(folder)
        let responses = try await responses(in: path)
        // The folder itself is among them, with one component less than what it holds.
        let depth = responses.compactMap(\.componentCount).min()
        return responses.compactMap { response in
            guard let name = response.name, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")),
                name != ".", name != "..", let resource = WebDAVResource(response)
            else { return nil }
            return response.componentCount == depth && response.isAbout(path) ? nil : (name, resource)
        }
    }
}
