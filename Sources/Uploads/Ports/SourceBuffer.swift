/// Bytes read from a source in one go, about 1 MiB at most: an array, or the buffer of a library for input and output, which a driver that
/// uses the same library sends without a copy.
public protocol SourceBuffer: Sendable {
    /// Bytes; at least 1.
    var count: Int { get }

    /// Hands over the bytes where they lie; the pointer is valid during the call.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
}

extension [UInt8]: SourceBuffer {}

extension CRC64NVME {
    public mutating func update(_ buffer: any SourceBuffer) { buffer.withUnsafeBytes { update($0) } }
}
