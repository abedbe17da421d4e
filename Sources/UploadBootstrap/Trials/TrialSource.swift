import Uploads

/// A source of random bytes of any length, held in no file. They are hard to compress.
struct TrialSource: UploadSource {
    let size: Int64

    private static let block: [UInt8] = {
        var random = SystemRandomNumberGenerator()
        return (0..<(1 << 20) / 8).flatMap { _ in withUnsafeBytes(of: random.next(), Array.init) }
    }()

    var bytes: [UInt8] { Array(Self.block.prefix(Int(clamping: size))) }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        let block = Int64(Self.block.count)
        return SourceBuffers { number in
            let begin = (range.lowerBound / block + Int64(number)) * block
            let piece = range.clamped(to: begin..<begin + block)
            return piece.isEmpty
                ? nil : Array(Self.block[Int(piece.lowerBound - begin)..<Int(piece.upperBound - begin)])
        }
    }

    func verifyUnchanged() async throws(UploadError) {}

    func close() async {}
}
