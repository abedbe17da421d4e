import UploadsAPI

extension API.Progress {
    /// The share, rate and time left of a job of this size.
    func gauge(of size: Int64) -> Gauge {
        Gauge(
            fraction: size > 0 ? Double(bytesDone) / Double(size) : 1, bytesLeft: size - bytesDone,
            bytesPerSecond: bytesPerSecond)
    }
}
