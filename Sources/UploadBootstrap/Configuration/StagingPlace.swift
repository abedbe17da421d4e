public import UploadSources
import Uploads

/// Where producers put the bytes of files that do not travel inside their jobs.
public enum StagingPlace: Hashable, Sendable {
    /// The absolute path of a directory that producers and workers share.
    case directory(String)
    /// Below a prefix at a destination, such as a bucket: `NAME:PREFIX/`.
    case destination(DestinationArea.Place)
    /// Nowhere: jobs are inline, in place, or come from objects and URLs.
    case none

    /// The word for ``none`` in a configuration. A directory of this name is written `./none`.
    static let word = "none"

    var directory: String? { if case .directory(let path) = self { path } else { nil } }

    var destination: DestinationArea.Place? { if case .destination(let place) = self { place } else { nil } }

    /// The text of a configuration.
    /// - Parameter path: the directory, if the text is a path.
    /// - Returns: nil for a destination with a prefix that is none.
    init?(_ text: String, path: String) {
        if text == Self.word {
            self = .none
            return
        }
        guard let colon = text.firstIndex(of: ":"), let name = try? DestinationName(String(text[..<colon])) else {
            self = .directory(path)
            return
        }
        let prefix = String(text[text.index(after: colon)...])
        guard prefix.isEmpty || (prefix.hasSuffix("/") && DestinationReference.problem(key: prefix + "a") == nil) else {
            return nil
        }
        self = .destination(DestinationArea.Place(at: name, prefix: prefix))
    }

    /// As in a configuration.
    var text: String {
        switch self {
        case .directory(let path): path
        case .destination(let place): place.description
        case .none: Self.word
        }
    }
}
