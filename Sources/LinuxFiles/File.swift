import CLinux
import Glibc
public import NIOCore

/// An open file: its descriptor is closed when the last reference goes, so that no call ever meets a reused number.
///
/// All calls block; call them through ``Blocking``. Reads and writes name their offset, so several may run at once.
public final class File: Sendable {
    /// The path by which the file was opened, for errors.
    public let path: String
    let descriptor: CInt

    init(descriptor: CInt, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { Glibc.close(descriptor) }

    /// open(2), always with `O_CLOEXEC`.
    public static func open(_ path: String, _ flags: CInt, mode: UInt32 = 0) throws(SystemError) -> File {
        let descriptor = retrying { Glibc.open(path, flags | O_CLOEXEC, mode) }
        guard descriptor >= 0 else { throw SystemError(call: "open", path: path) }
        return File(descriptor: descriptor, path: path)
    }

    /// All bytes of a file that is not large. Its size is not asked for: pipes, and the files of `/proc`, tell none, and Foundation reads
    /// only the beginning of these, or nothing.
    /// - Throws: `EFBIG` if there are more bytes.
    public static func contents(of path: String, atMost maximum: Int) throws(SystemError) -> [UInt8] {
        let file = try open(path, O_RDONLY)
        var contents: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = retrying { Glibc.read(file.descriptor, &piece, piece.count) }
            guard count >= 0 else { throw file.failure("read") }
            if count == 0 { return contents }
            guard contents.count + count <= maximum else { throw SystemError(EFBIG, call: "read", path: path) }
            contents += piece[..<count]
        }
    }

    /// Another descriptor of the open file, which the caller closes.
    public func duplicate() throws(SystemError) -> CInt {
        let another = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard another >= 0 else { throw failure("fcntl") }
        return another
    }

    public func status() throws(SystemError) -> FileStatus {
        var raw = stat()
        guard fstat(descriptor, &raw) == 0 else { throw failure("fstat") }
        return FileStatus(raw)
    }

    /// stat(2), or lstat(2) unless links are followed.
    public static func status(of path: String, followingLinks: Bool = true) throws(SystemError) -> FileStatus {
        var raw = stat()
        guard (followingLinks ? stat(path, &raw) : lstat(path, &raw)) == 0 else {
            throw SystemError(call: "stat", path: path)
        }
        return FileStatus(raw)
    }

    /// Reads until the buffer is full or the file ends.
    /// - Returns: bytes read.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = retrying {
                pread(descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + off_t(done))
            }
            guard count >= 0 else { throw failure("pread") }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// At most this many bytes from the offset; fewer only where the file ends.
    public func read(_ count: Int, at offset: Int64) throws(SystemError) -> [UInt8] {
        var problem: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(SystemError) {
                initialized = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
        return bytes
    }

    /// The same in a buffer that NIO sends without copying it.
    public func buffer(_ count: Int, at offset: Int64) throws(SystemError) -> ByteBuffer {
        var problem: SystemError?
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
            do throws(SystemError) {
                return try read(into: UnsafeMutableRawBufferPointer(rebasing: room.prefix(count)), at: offset)
            } catch {
                problem = error
                return 0
            }
        }
        if let problem { throw problem }
        return buffer
    }

    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = retrying {
                pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset) + off_t(done))
            }
            guard count >= 0 else { throw failure("pwrite") }
            done += count
        }
    }

    public func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        var problem: SystemError?
        bytes.withUnsafeBytes { buffer in
            do throws(SystemError) { try write(buffer, at: offset) } catch { problem = error }
        }
        if let problem { throw problem }
    }

    public func truncate(to size: Int64) throws(SystemError) {
        guard retrying({ ftruncate(descriptor, off_t(size)) }) == 0 else { throw failure("ftruncate") }
    }

    /// Gives the file its size and reserves the space, where the file system can, so that a lack of space shows at once.
    public func allocate(_ size: Int64) throws(SystemError) {
        guard size > 0 else { return }
        // The call takes all the space that there is before it fails, and every other program would find a full disk for that time.
        guard size <= bytesMaximum else { throw SystemError(ENOSPC, call: "fallocate", path: path) }
        guard retrying({ linux_allocate(descriptor, size) }) != 0 else { return }
        guard [EOPNOTSUPP, ENOSYS, EINVAL].contains(errno) else { throw failure("fallocate") }
        try truncate(to: size)
    }

    /// The most bytes that the file can have with those that it has and those that are free on its file system; the largest number if the
    /// file system does not say.
    private var bytesMaximum: Int64 {
        var (space, status) = (statvfs(), stat())
        guard fstatvfs(descriptor, &space) == 0, fstat(descriptor, &status) == 0, space.f_blocks > 0 else {
            return .max
        }
        let (free, isTooLarge) = Int64(clamping: space.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: space.f_frsize))
        // st_blocks counts 512 bytes (stat(3type)).
        let (sum, isSumTooLarge) = free.addingReportingOverflow(Int64(status.st_blocks) * 512)
        return isTooLarge || isSumTooLarge ? .max : sum
    }

    /// Gives this file a further name (linkat(2)): this very file, whatever is under its path by now.
    /// - Returns: false where the directory cannot have it: it is on another file system, or the kernel does not allow it.
    public func link(as name: String, in directory: Directory) throws(SystemError) -> Bool {
        if linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", directory.file.descriptor, name, AT_SYMLINK_FOLLOW) == 0 {
            return true
        }
        if [EXDEV, EPERM, EACCES, EMLINK, EOPNOTSUPP, ENOENT].contains(errno) { return false }
        throw SystemError(call: "linkat", path: directory.path(of: name))
    }

    /// The number of the file's file system (statfs(2), `f_fsid`); nil where the kernel knows none, as for NFS.
    public var fileSystem: UInt64? {
        var space = statvfs()
        guard fstatvfs(descriptor, &space) == 0, space.f_fsid != 0 else { return nil }
        return UInt64(space.f_fsid)
    }

    /// Begins to write a range to the disk, so that ``synchronize()`` has little left to write (sync_file_range(2)). Guarantees nothing.
    public func beginWriting(_ range: Range<Int64>) {
        _ = linux_begin_writing(descriptor, range.lowerBound, Int64(range.count))
    }

    /// Waits until a range has been written to the disk (sync_file_range(2)). Guarantees nothing about a loss of power; but a write that failed
    /// is told here, and not once more by ``synchronize()``. Does nothing where the kernel or the file system cannot.
    public func endWriting(_ range: Range<Int64>) throws(SystemError) {
        guard retrying({ linux_end_writing(descriptor, range.lowerBound, Int64(range.count)) }) != 0 else { return }
        if ![ENOSYS, EINVAL, ESPIPE, EOPNOTSUPP].contains(errno) { throw failure("sync_file_range") }
    }

    /// fsync(2)
    public func synchronize() throws(SystemError) {
        guard retrying({ fsync(descriptor) }) == 0 else { throw failure("fsync") }
    }

    /// fdatasync(2): the bytes, and the metadata that is needed to read them.
    public func synchronizeData() throws(SystemError) {
        guard retrying({ fdatasync(descriptor) }) == 0 else { throw failure("fdatasync") }
    }

    /// posix_fadvise(2) with `POSIX_FADV_DONTNEED`: clean pages leave the page cache, so that the next read comes from the disk.
    /// - Parameter range: the bytes; nil is the whole file.
    public func forgetCached(_ range: Range<Int64>? = nil) {
        _ = posix_fadvise(
            descriptor, off_t(range?.lowerBound ?? 0), off_t(range?.count ?? 0), POSIX_FADV_DONTNEED)
    }

    public func setMode(_ mode: UInt32) throws(SystemError) {
        guard fchmod(descriptor, mode) == 0 else { throw failure("fchmod") }
    }

    public func setGroup(_ group: UInt32) throws(SystemError) {
        guard fchown(descriptor, uid_t.max, group) == 0 else { throw failure("fchown") }
    }

    /// Makes the file look as if it had last changed in 1970 (futimens(2)).
    public func setOldest() throws(SystemError) {
        let times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: 0)]
        guard futimens(descriptor, times) == 0 else { throw failure("futimens") }
    }

    func failure(_ call: String) -> SystemError { SystemError(call: call, path: path) }
}

/// Repeats a call that a signal interrupted (signal(7)).
func retrying<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
    while true {
        let answer = call()
        if answer != -1 || errno != EINTR { return answer }
    }
}
