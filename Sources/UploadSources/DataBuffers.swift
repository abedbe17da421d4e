public import Foundation

/// Bytes in memory, in buffers of 1 MiB.
public struct DataBuffers: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = any Error

    private let data: Data

    public init(data: Data) {
        self.data = data
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: data) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var rest: Data

        public mutating func next() async throws -> [UInt8]? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(1 << 20) }
            return Array(rest.prefix(1 << 20))
        }
    }
}
