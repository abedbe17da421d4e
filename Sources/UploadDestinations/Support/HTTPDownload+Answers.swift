import Synchronization
import Uploads

extension HTTPDownload {
    /// Bytes that an answer has on average, at least: a server that sends little at a time costs a request each.
    private static let answerBytesMinimum: Int64 = 64 << 10

    /// Reads a range in as many answers as it takes: where one ends early, or holds less than was asked for (RFC 9110, section 15.3.7), the rest is
    /// asked for.
    /// - Parameters:
    ///   - hasValidator: whether anything tells that another answer is of the same version; otherwise there is one alone.
    ///   - read: one answer, or as much of it as comes.
    /// - Throws: `networkFailure` where too little comes; what `read` throws, but for a connection that is lost within an answer.
    static func inAnswers(
        _ range: Range<Int64>, hasValidator: Bool, at displayURL: String, _ take: @escaping Take,
        read: (Range<Int64>, @escaping Take) async throws(UploadError) -> Void
    ) async throws(UploadError) {
        var next = range.lowerBound
        var answersLeft = hasValidator ? 16 + Int64(range.count) / answerBytesMinimum : 1
        while next < range.upperBound {
            let taken = Mutex<Int64>(0)
            var failure: UploadError?
            do throws(UploadError) {
                try await read(next..<range.upperBound) { buffer throws(UploadError) in
                    try await take(buffer)
                    taken.withLock { $0 += Int64(buffer.count) }
                }
            } catch {
                failure = error
            }
            let count = taken.withLock { $0 }
            next += count
            answersLeft -= 1
            // A server that is silent or slow is not asked again at once: that has no cause but itself.
            if let failure, failure.code != .networkFailure || failure.cause == nil || count == 0 || answersLeft <= 0 {
                throw failure
            }
            guard next < range.upperBound else { return }
            guard count > 0, answersLeft > 0 else {
                throw UploadError(
                    .networkFailure,
                    "\(displayURL) sent \(next - range.lowerBound) of \(range.count) bytes: check the network and the server"
                )
            }
        }
    }
}
