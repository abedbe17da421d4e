/// Bytes read from a source in one go, about 1 MiB at most: an array, or the buffer of a library for input and output, which a driver that
/// uses the same library sends without a copy.
public protocol SourceBuffer: Sendable {
    var count: Int { get }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
}

extension [UInt8]: SourceBuffer {}

extension CRC64NVME {
    public mutating func update(_ buffer: any SourceBuffer) { buffer.withUnsafeBytes { update($0) } }
}
