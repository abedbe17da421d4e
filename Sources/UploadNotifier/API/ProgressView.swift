import Foundation
import Uploads

/// How far a running job is, as the API shows it.
struct ProgressView: Encodable, Sendable {
    var bytesDone: Int64
    var bytesPerSecond: Double
    var at: Date
    /// If it goes on like that.
    var secondsLeft: Double?

    init(_ progress: JobProgress, of size: Int64) {
        bytesDone = progress.bytesDone
        bytesPerSecond = progress.bytesPerSecond
        at = progress.at
        secondsLeft = progress.secondsLeft(of: size)
    }
}

/// The same as a line of the stream of events: it says whose it is.
struct ProgressEventView: Encodable, Sendable {
    var job: JobID
    var queue: QueueName
    var destination: String
    var target: String
    var size: Int64
    var bytesDone: Int64
    var bytesPerSecond: Double
    var at: Date
    var secondsLeft: Double?

    init(_ entry: LatestProgress.Entry) {
        job = entry.job
        queue = entry.queue
        destination = entry.destination
        target = entry.target
        size = entry.size
        bytesDone = entry.progress.bytesDone
        bytesPerSecond = entry.progress.bytesPerSecond
        at = entry.progress.at
        secondsLeft = entry.progress.secondsLeft(of: entry.size)
    }
}
