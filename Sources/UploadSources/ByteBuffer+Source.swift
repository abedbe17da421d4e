public import NIOCore
public import Uploads

extension ByteBuffer: SourceBuffer {
    public var count: Int { readableBytes }

    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeReadableBytes(body)
    }
}
