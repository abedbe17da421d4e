/// The largest values that a message may carry, the same in each decoder, in the JSON schemas and in <doc:WireFormat>. A message with a
/// larger one is unreadable.
///
/// The numbers are far above what any real upload needs, and far enough below 2^63 that the sums of several thousand of
/// them fit into 64 bits; sums of more are saturated. This version never writes a larger value, so that any other
/// program can read its messages.
public enum WireLimits {
    /// Bytes of one object: 1 PiB. The largest object that S3 takes has 50 TB.
    public static let sizeMaximum: Int64 = 1 << 50
    /// Rounds, generations, slices, attempts and waits of one job, and every other count.
    public static let countMaximum = 1_000_000_000
    /// Bytes that a job has sent, repeats included, and bytes per second: 1 EiB.
    public static let bytesSentMaximum: Int64 = 1 << 60
    /// Seconds that a job has worked, or that a rule may wait: about 31 years.
    public static let secondsMaximum = 1e9
    /// By how much a retry's bound may grow with each attempt.
    public static let factorMaximum = 1e6
    /// The status of a server's answer.
    public static let statusMaximum = 999
    /// Characters of a name: a batch, a content type, an idempotency key. They are Unicode's code points, as JSON Schema counts them.
    public static let nameLengthMaximum = 1024
    /// Characters of a key, a path, a URL.
    public static let pathLengthMaximum = 16_384
    /// Characters of a sentence for people: an error's message, which may name a path.
    public static let messageLengthMaximum = 16_384
    /// Bytes of a job's metadata, or of the headers of a server's answer, names and values together. Producers must
    /// stay below (``ObjectProperties/metadataBytesMaximum``).
    public static let textsBytesMaximum = 65_536
    /// The payload of an open session: the bytes of its names and texts, and ``payloadValueBytes`` for each value.
    public static let payloadBytesMaximum = 16_384
    /// The bytes that each value of such a payload counts besides its text.
    public static let payloadValueBytes = 8
    /// How deep the values may nest that are carried without being understood: the fields of a newer version, and the state of an open
    /// session.
    public static let depthMaximum = 32
    /// Bytes of the body of a job.
    public static let jobBytesMaximum = 262_144
    /// Bytes of the body of any other message. Brokers take 16 MiB.
    public static let bodyBytesMaximum = 4_194_304
}

extension Int {
    /// Adds one, up to the largest count that a message or a row of the ledger may carry, so that every reader can read
    /// it.
    mutating func advance() { self = Swift.min(addingSaturating(1), WireLimits.countMaximum) }
}
