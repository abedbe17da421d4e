import Foundation
import UploadSources
import Uploads

/// A file, URL or key to be uploaded, and the name that it brings.
struct PlannedSource {
    /// The source's name for messages: of a URL, without its query and content.
    let path: FilePath
    /// The key to append to a prefix; empty for a source without a name.
    let key: String
    let content: PlannedUpload.Content
    /// The media type.
    let contentType: String
    /// The size in bytes; nil while it is unknown.
    var size: Int64?
    /// When the contents of a file changed last.
    var modifiedAt: Date?

    init(_ file: FileTree.File) {
        path = file.path
        key = file.key.description
        content = .file
        contentType = ContentType.of(name: file.path.description)
        size = file.size
        modifiedAt = file.modifiedAt
    }

    /// The source for a key at a destination or for a URL; nil for the path of a file.
    init?(elsewhere path: FilePath, from destination: DestinationName?) throws(ProgramError) {
        guard let text = path.exactText else {
            guard let destination else { return nil }
            throw ProgramError(.badInput, "\(destination):\(path): a key is UTF-8 text")
        }
        if let destination {
            if let problem = text.isEmpty ? "a key is not empty" : DestinationReference.problem(key: text) {
                throw ProgramError(.badInput, "\(destination):\(text): \(problem)")
            }
            self.init(.named(destination, key: text), name: text.lastPathComponent)
            return
        }
        switch text.bytePrefix(upTo: ":").lowercased() {
        case "http" where text.urlScheme == "http", "https" where text.urlScheme == "https":
            let problem = DestinationReference.problem(sourceURL: text)
            guard problem == nil, let url = URL(string: text) else {
                throw ProgramError(.badInput, "\(DestinationReference.redact(text)): \(problem ?? "it is no URL")")
            }
            self.init(.url(text), name: DestinationReference.redact(text).hasSuffix("/") ? "" : url.lastPathComponent)
        case "data" where text.contains(","):
            do throws(UploadError) {
                try self.init(DataURL(text))
            } catch {
                throw ProgramError(.badInput, error.message)
            }
        default: return nil
        }
    }

    private init(_ reference: DestinationReference, name: String) {
        path = FilePath(reference.displayText)
        key = name
        content = .object(reference)
        contentType = ContentType.of(name: name)
    }

    private init(_ url: DataURL) {
        path = "data:"
        key = ""
        content = .data(url.data)
        contentType = url.mediaType ?? "text/plain;charset=US-ASCII"
        size = Int64(url.data.count)
    }
}
