/// The largest numbers that a message may carry, the same in each decoder, in the JSON schemas and in <doc:WireFormat>.
///
/// They are far above what any real upload needs, and far enough below 2^63 that the sums of several thousand of them fit into 64 bits.
/// Sums of more are saturated. A message with a larger number is unreadable.
public enum WireLimits {
    /// Bytes of one object: 1 PiB. The largest object that S3 takes has 50 TB.
    public static let sizeMaximum: Int64 = 1 << 50
    /// Rounds, generations, slices, attempts and waits of one job.
    public static let countMaximum = 1_000_000_000
    /// Bytes that a job has sent, repeats included: 1 EiB.
    public static let bytesSentMaximum: Int64 = 1 << 60
    /// Seconds that a job has worked, or that a rule may wait: about 31 years.
    public static let secondsMaximum = 1e9
}
