import Foundation
import NIOCore
import Uploads

/// The sending of a file's range over one connection, piece after piece. Runs only on the connection's event loop.
final class HTTPFileSending {
    /// Small enough that a slow connection shows progress within the time limit.
    private static let pieceBytes: Int64 = 256 << 10
    /// The most pieces that the system has not taken yet.
    private static let piecesMaximum = 4

    /// Errors of sendfile(2) that concern the file, not the connection.
    private static let errorsOfFile: Set<CInt> = [EINVAL, EIO, ENOSYS, ENXIO, EOPNOTSUPP, EOVERFLOW, ESPIPE, ESTALE]

    private let file: SourceFileRange
    private let handle: NIOFileHandle
    private let taken: @Sendable (Int) -> Void
    private let refuse: @Sendable () -> Void
    private var rest: Range<Int64>
    /// Pieces that were handed out and are not settled.
    private var pieceCount = 0
    private var isEndTaken = false
    private var isOver = false

    init(_ body: HTTPFileBody) throws(UploadError) {
        file = body.file
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: try file.duplicate())
        rest = file.range
        taken = body.begin()
        refuse = body.refuse
    }

    /// Whether nothing is left to be sent.
    var isTaken: Bool { rest.isEmpty && pieceCount == 0 }

    /// - Returns: true once, when all pieces have been handed out.
    func takeEnd() -> Bool {
        guard rest.isEmpty, !isOver else { return false }
        defer { isEndTaken = true }
        return !isEndTaken
    }

    /// The next piece; nil while the system has enough of them, and behind the last one. Each piece has to be settled.
    func next() -> FileRegion? {
        guard !isOver, !rest.isEmpty, pieceCount < Self.piecesMaximum else { return nil }
        let end = min(rest.lowerBound + Self.pieceBytes, rest.upperBound)
        let region = FileRegion(fileHandle: handle, readerIndex: Int(rest.lowerBound), endIndex: Int(end))
        rest = end..<rest.upperBound
        pieceCount += 1
        return region
    }

    /// - Throws: `sourceChanged` when the file has become too short: the system would send no byte of the missing ones, and NIO would try
    ///   again for ever.
    func checkLength() throws(UploadError) { try file.check() }

    /// Takes note of what became of a piece.
    /// - Parameter count: its bytes, if the system has taken them.
    func settle(taking count: Int?) {
        pieceCount -= 1
        if let count, !isOver { taken(count) }
        if isTaken || isOver { closeUnused() }
    }

    /// - Returns: whether the system cannot send from the file.
    func refuses(after error: any Error) -> Bool {
        guard let error = error as? IOError, Self.errorsOfFile.contains(error.errnoCode) else { return false }
        refuse()
        return true
    }

    /// Sends no further piece.
    func end() {
        isOver = true
        closeUnused()
    }

    /// The connection may still send from the file while pieces are not settled.
    private func closeUnused() {
        guard pieceCount == 0, handle.isOpen else { return }
        try? handle.close()
    }
}
