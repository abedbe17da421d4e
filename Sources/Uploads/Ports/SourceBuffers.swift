/// Buffers that are at hand, as often as they are read.
public struct SourceBuffers: AsyncSequence, Sendable {
    private let buffer: @Sendable (Int) -> SourceBuffer?

    /// - Parameter buffer: given a number from 0 on; nil behind the last buffer.
    public init(_ buffer: @escaping @Sendable (_ number: Int) -> SourceBuffer?) { self.buffer = buffer }

    public func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let buffer: @Sendable (Int) -> SourceBuffer?
        private var number = 0

        fileprivate init(buffer: @escaping @Sendable (Int) -> SourceBuffer?) { self.buffer = buffer }

        public mutating func next() async throws -> SourceBuffer? {
            defer { number += 1 }
            return buffer(number)
        }
    }
}
