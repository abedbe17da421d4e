import Uploads
import UploadsAPI

extension API.Progress {
    init(_ progress: JobProgress, of size: Int64) {
        self.init(
            bytesDone: progress.bytesDone, bytesPerSecond: progress.bytesPerSecond, partBytes: progress.partBytes,
            at: progress.at, secondsLeft: progress.secondsLeft(of: size))
    }
}

extension API.JobProgress {
    init(_ entry: LatestProgress.Entry) {
        self.init(
            job: entry.job.rawValue, queue: entry.queue.rawValue, destination: entry.destination, target: entry.target,
            size: entry.size, bytesDone: entry.progress.bytesDone, bytesPerSecond: entry.progress.bytesPerSecond,
            at: entry.progress.at, secondsLeft: entry.progress.secondsLeft(of: entry.size))
    }
}
