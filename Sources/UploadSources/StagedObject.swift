import Uploads

/// A staged copy that is an object. It is read by ranges, and each block is compared with its digest before its last buffer is handed out.
struct StagedObject: UploadSource {
    private let object: ObjectSource
    private let blocks: BlockDigests

    init(_ object: ObjectSource, blocks: BlockDigests) {
        self.object = object
        self.blocks = blocks
    }

    var size: Int64 { object.size }
    var isFetched: Bool { true }
    var sourceObject: SourceObject? { object.sourceObject }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        CheckedBlocks(of: object, range.clamped(to: 0..<size), blocks)
    }

    func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
        do {
            return try blocks.digest(of: range, in: size)
        } catch {
            throw UploadError(source: error)
        }
    }

    func verifyUnchanged() async throws(UploadError) { try await object.verifyUnchanged() }

    func close() async {}
}

/// Reads the blocks that a range touches, checks them, and hands out the range.
struct CheckedBlocks: AsyncSequence, Sendable {
    typealias Element = any SourceBuffer

    private let object: ObjectSource
    private let wanted: Range<Int64>
    private let blocks: BlockDigests

    init(of object: ObjectSource, _ wanted: Range<Int64>, _ blocks: BlockDigests) {
        self.object = object
        self.wanted = wanted
        self.blocks = blocks
    }

    func makeAsyncIterator() -> Iterator {
        let blockBytes = PartPlan.blockBytes
        let start = wanted.lowerBound / blockBytes * blockBytes
        let end =
            wanted.isEmpty ? start : Swift.min(PartPlan.blockCount(of: wanted.upperBound) * blockBytes, object.size)
        return Iterator(
            bytes: object.read(start..<end).makeAsyncIterator(), offset: start, wanted: wanted, blocks: blocks,
            size: object.size, name: object.job.destination.displayText)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var bytes: any AsyncIteratorProtocol<any SourceBuffer, any Error>
        /// The position of the next byte that is read.
        fileprivate var offset: Int64
        fileprivate let wanted: Range<Int64>
        fileprivate let blocks: BlockDigests
        fileprivate let size: Int64
        fileprivate let name: String
        private var digest = CRC64NVME()
        /// What was read and not looked at yet.
        private var rest: ArraySlice<UInt8> = []
        /// The last wanted bytes of a block that is not checked yet.
        private var withheld: [UInt8]?

        fileprivate init(
            bytes: any AsyncIteratorProtocol<any SourceBuffer, any Error>, offset: Int64, wanted: Range<Int64>,
            blocks: BlockDigests, size: Int64, name: String
        ) {
            self.bytes = bytes
            self.offset = offset
            self.wanted = wanted
            self.blocks = blocks
            self.size = size
            self.name = name
        }

        mutating func next() async throws -> (any SourceBuffer)? {
            while true {
                if rest.isEmpty {
                    guard let buffer = try await read() else { return nil }
                    rest = buffer.withUnsafeBytes { Array($0)[...] }
                }
                let blockEnd = Swift.min((offset / PartPlan.blockBytes + 1) * PartPlan.blockBytes, size)
                let piece = rest.prefix(Int(Swift.min(Int64(rest.count), blockEnd - offset)))
                rest = rest.dropFirst(piece.count)
                piece.withUnsafeBytes { digest.update($0) }
                let range = offset..<offset + Int64(piece.count)
                offset = range.upperBound
                let isChecked = offset == blockEnd
                if isChecked { try check(block: range.lowerBound / PartPlan.blockBytes) }
                if let buffer = handOut(piece, range, isChecked: isChecked) { return buffer }
            }
        }

        /// - Throws: as the source does; but what the area's destination refuses now, it may give to a later slice.
        private mutating func read() async throws -> (any SourceBuffer)? {
            do {
                return try await bytes.next()
            } catch let error as UploadError where error.retry == .never && error.code != .sourceChanged {
                throw UploadError(
                    error.code, error.message, retry: .afterBackoff, cause: error, response: error.response)
            }
        }

        /// Takes in the next bytes.
        /// - Returns: what may be handed out now.
        private mutating func handOut(
            _ piece: ArraySlice<UInt8>, _ range: Range<Int64>, isChecked: Bool
        ) -> [UInt8]? {
            let part = range.clamped(to: wanted)
            if !part.isEmpty {
                let start = piece.startIndex + Int(part.lowerBound - range.lowerBound)
                let bytes = Array(piece[start..<start + part.count])
                if isChecked {
                    defer { withheld = nil }
                    return (withheld ?? []) + bytes
                }
                defer { withheld = bytes }
                return withheld
            }
            guard isChecked else { return nil }
            defer { withheld = nil }
            return withheld
        }

        private mutating func check(block: Int64) throws {
            let expected: CRC64NVME?
            do { expected = try blocks.digest(of: block) } catch { throw UploadError(source: error) }
            guard let expected, digest == expected else {
                throw UploadError.sourceDiffers(name, " in its block \(block + 1)", retry: .afterBackoff)
            }
            digest = CRC64NVME()
        }
    }
}
