import Uploads

/// Counts the requests in a row after which a server holds no more of the file than before. Without this limit, a server that takes the
/// same bytes again and again would be sent them without end.
struct Standstills {
    /// The most requests in a row that may bring no progress.
    static let maximum = 3

    private var furthest: Int64 = -1
    private var count = 0

    /// Whether more requests than allowed brought no progress.
    var isTooMany: Bool { count > Self.maximum }

    /// Starts the count again if the server holds more than ever before. A server that loses bytes and takes them again makes no progress.
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
