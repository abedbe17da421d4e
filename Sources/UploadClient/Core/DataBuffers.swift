import Foundation

/// Bytes in memory, in buffers of 1 MiB.
struct DataBuffers: AsyncSequence, Sendable {
    typealias Element = [UInt8]
    typealias Failure = any Error

    let data: Data

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: data) }

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: Data

        mutating func next() async throws -> [UInt8]? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(1 << 20) }
            return Array(rest.prefix(1 << 20))
        }
    }
}
