import Synchronization
import Uploads

extension HTTPDownload {
    /// Bytes that an answer has to bring on average: a server that sends little at a time costs a request each time.
    private static let answerBytesMinimum: Int64 = 64 << 10

    /// Reads a range in as many answers as necessary. When an answer ends early, or holds less than the requested range (RFC 9110,
    /// section 15.3.7), the next request asks for the rest.
    /// - Parameters:
    ///   - hasValidator: whether a tag or time shows that another answer belongs to the same version; otherwise only one answer is read.
    ///   - read: reads one answer, or as much of it as comes.
    /// - Returns: what `read` returned last; true for an empty range.
    /// - Throws: `networkFailure` when too little comes; the error of `read`, except a connection that is lost within an answer.
    static func inAnswers(
        _ range: Range<Int64>, hasValidator: Bool, at displayURL: String, _ take: @escaping Take,
        read: (Range<Int64>, @escaping Take) async throws(UploadError) -> Bool
    ) async throws(UploadError) -> Bool {
        var isRange = true
        var next = range.lowerBound
        var answersLeft = hasValidator ? 16 + Int64(range.count) / answerBytesMinimum : 1
        while next < range.upperBound {
            let taken = Mutex<Int64>(0)
            var failure: UploadError?
            do throws(UploadError) {
                isRange = try await read(next..<range.upperBound) { buffer throws(UploadError) in
                    try await take(buffer)
                    taken.withLock { $0 += Int64(buffer.count) }
                }
            } catch {
                failure = error
            }
            let count = taken.withLock { $0 }
            next += count
            answersLeft -= 1
            // A silent or slow server is not asked again at once: the server itself is the cause, not a lost connection.
            if let failure, failure.code != .networkFailure || failure.cause == nil || count == 0 || answersLeft <= 0 {
                throw failure
            }
            guard next < range.upperBound else { break }
            guard count > 0, answersLeft > 0 else {
                throw UploadError(
                    .networkFailure,
                    "\(displayURL) sent \(next - range.lowerBound) of \(range.count) bytes: check the network and the server"
                )
            }
        }
        return isRange
    }
}
