import Foundation
import Glibc
import LinuxFiles
import Uploads

/// An open regular file, with its status at the time of opening.
struct OriginalFile: Sendable {
    /// Bytes that are read at once for a checksum alone.
    private static let checksumBytes = 64 << 10

    /// The path by which the file was opened.
    let path: FilePath
    let file: File
    let status: FileStatus

    init(path: FilePath, file: File, status: FileStatus) {
        self.path = path
        self.file = file
        self.status = status
    }

    /// - Parameter flags: flags in addition to `O_RDONLY`.
    init(opening path: FilePath, _ flags: CInt = 0) throws(UploadError) {
        self.path = path
        do {
            // Without O_NONBLOCK opening a named pipe would wait for its writer.
            file = try File.open(bytes: path.bytes, named: path.description, O_RDONLY | O_NONBLOCK | flags)
            status = try file.status()
        } catch {
            throw UploadError(source: error)
        }
        switch status.kind {
        case .regular: break
        case .directory: throw UploadError(source: SystemError(EISDIR, call: "open", path: path.description))
        default:
            throw UploadError(.invalidFile, "\(path) is no regular file: name one, or hand its bytes to standard input")
        }
    }

    /// - Throws: `sourceChanged` when the file has become so short that it has no byte there.
    func read(_ count: Int, at offset: Int64) throws(UploadError) -> [UInt8] {
        let bytes: [UInt8]
        do { bytes = try file.read(count, at: offset) } catch { throw UploadError(source: error) }
        guard !bytes.isEmpty else { throw shorter }
        return bytes
    }

    /// Reads a range, off the cooperative threads, for nothing but its checksum: into one small buffer again and again, which stays in the
    /// processor's cache.
    /// - Throws: `sourceChanged` when the file has become shorter; `interrupted` when the task is cancelled.
    func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME {
        var checksum = CRC64NVME()
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 8 << 20) {
            if Task.isCancelled { throw UploadError(.interrupted, "reading was interrupted") }
            let (before, stretch) = (checksum, start..<min(start + 8 << 20, range.upperBound))
            checksum = try await Blocking.run { () throws(UploadError) in try read(stretch, after: before) }
        }
        return checksum
    }

    private func read(_ range: Range<Int64>, after before: CRC64NVME) throws(UploadError) -> CRC64NVME {
        var checksum = before
        try forEachPiece(of: range, bytes: Self.checksumBytes) { piece, _ in checksum.update(piece) }
        return checksum
    }

    /// Reads a range into one buffer again and again; blocks.
    /// - Parameters:
    ///   - bytes: the buffer's size.
    ///   - body: receives the bytes that were read, and their offset.
    /// - Throws: `sourceChanged` when the file has become shorter; `invalidFile` when it cannot be read; what the body throws.
    func forEachPiece(
        of range: Range<Int64>, bytes: Int, _ body: (UnsafeRawBufferPointer, Int64) throws(UploadError) -> Void
    ) throws(UploadError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 64)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let room = UnsafeMutableRawBufferPointer(
                rebasing: buffer.prefix(Int(min(Int64(bytes), range.upperBound - offset))))
            let count: Int
            do { count = try file.read(into: room, at: offset) } catch { throw UploadError(source: error) }
            guard count > 0 else { throw shorter }
            try body(UnsafeRawBufferPointer(rebasing: room.prefix(count)), offset)
            offset += Int64(count)
        }
    }

    var shorter: UploadError {
        UploadError(
            .sourceChanged, "\(file.path) became shorter while it was read: enqueue it again when it is complete")
    }

    /// Files of the kernel (procfs) have more bytes than their status says.
    /// - Throws: `sourceChanged` when there are bytes behind the size that the file had when it was opened.
    func verifyEnd() throws(UploadError) {
        let rest: [UInt8]
        do { rest = try file.read(1, at: status.size) } catch { throw UploadError(source: error) }
        guard rest.isEmpty else {
            throw UploadError(
                .sourceChanged,
                "\(file.path) has more than the \(status.size) bytes of its size: hand it to standard input")
        }
    }

    /// - Throws: `sourceChanged` when the size or the time has changed since the file was opened.
    func verifyUnchanged() throws(UploadError) {
        let now: FileStatus
        do { now = try file.status() } catch { throw UploadError(source: error) }
        guard now.isUnchanged(since: status) else {
            throw UploadError(
                .sourceChanged, "\(file.path) changed while it was read: enqueue it again when it is complete")
        }
    }
}
