public import Foundation
public import Uploads

/// Where an upload's bytes come from. They are copied before the call that starts the upload returns, except for an
/// ``object(_:)``.
public enum UploadContent: Sendable {
    /// A `file:` URL, a `data:` URL (RFC 2397), or an `http:` or `https:` URL, which is fetched.
    case url(URL)
    case data(Data)
    /// All buffers of the sequence, in its order, until it ends.
    case bytes(@Sendable () -> any AsyncSequence<[UInt8], any Error> & Sendable)

    /// An object at a destination, read by the worker: a download, or a copy from one store to another. No bytes pass
    /// through the app. The size becomes known when a worker has examined the object.
    case object(DestinationReference)

    /// - Parameter sequence: buffers of any size; read once.
    public static func bytes(_ sequence: some AsyncSequence<[UInt8], any Error> & Sendable) -> UploadContent {
        .bytes { sequence }
    }

    public static func file(_ path: String) -> UploadContent { .url(URL(filePath: path)) }
}
