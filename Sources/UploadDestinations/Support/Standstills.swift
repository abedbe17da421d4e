import Uploads

/// Counts the requests in a row after which a server holds no more of the file than before, so that one that takes the same bytes again
/// and again is not sent them without end.
struct Standstills {
    /// How often one part may be answered without a byte more at the server.
    static let maximum = 3

    private var furthest: Int64 = -1
    private var count = 0

    /// Whether so many requests brought nothing that the next one would not, either.
    var isTooMany: Bool { count > Self.maximum }

    /// Begins to count anew if the server holds more than ever before. A server that falls back has not moved.
    mutating func note(reached: Int64) {
        if reached > furthest { count = 0 }
        furthest = max(furthest, reached)
    }

    mutating func add() { count += 1 }

    /// - Parameter location: the upload's URL, as it may be shown.
    func check(_ location: String) throws(UploadError) {
        guard isTooMany else { return }
        throw UploadError(
            .invalidResponse, "\(location) takes bytes and holds no more of them: look at the server",
            retry: .afterBackoff)
    }
}
