import Foundation
import Glibc
import Uploads

/// An append-only file of lines that is put aside when it is large, and opened anew after another program (logrotate) has moved it.
struct LogFile {
    private let path: String
    private let rotateBytes: Int64
    private let keepCount: Int
    private var descriptor: Descriptor?

    init(_ configuration: LogConfiguration) {
        path = configuration.path
        rotateBytes = configuration.rotateBytes
        keepCount = configuration.keepCount
    }

    /// One write for each line, so that readers never see lines mixed; one flush for all lines.
    mutating func append(_ lines: [Data]) throws(UploadError) {
        for line in lines {
            let size = try openIfMoved()
            if rotateBytes > 0, size > 0, size + Int64(line.count) > rotateBytes { try rotate() }
            try write(line)
        }
        try flush()
    }

    mutating func open() throws(UploadError) {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
        guard file >= 0 else { throw failure("cannot open", .misconfigured) }
        descriptor = Descriptor(file)
        try endTornLine()
    }

    /// Opens the file again if the path names another one by now.
    /// - Returns: its size.
    private mutating func openIfMoved() throws(UploadError) -> Int64 {
        var there = stat()
        var held = stat()
        if let descriptor, stat(path, &there) == 0, fstat(descriptor.number, &held) == 0, there.st_ino == held.st_ino,
            there.st_dev == held.st_dev
        {
            return Int64(held.st_size)
        }
        // The lines of this batch in the old file must be on the disk, too.
        if descriptor != nil { try flush() }
        try open()
        guard let descriptor, fstat(descriptor.number, &held) == 0 else { throw failure("cannot stat", .unknown) }
        return Int64(held.st_size)
    }

    /// Ends a last line that a crash has cut, so that the next outcome begins on a new line.
    private func endTornLine() throws(UploadError) {
        guard let descriptor else { return }
        var last: UInt8 = 0
        let size = lseek(descriptor.number, 0, SEEK_END)
        guard size > 0, pread(descriptor.number, &last, 1, size - 1) == 1, last != UInt8(ascii: "\n") else { return }
        try write(Data([UInt8(ascii: "\n")]))
    }

    private func write(_ data: Data) throws(UploadError) {
        guard let descriptor else { throw failure("cannot write", .unknown) }
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("cannot write", .serverFailure)
            }
            rest = rest.dropFirst(count)
        }
    }

    private func flush() throws(UploadError) {
        guard let descriptor else { return }
        guard fdatasync(descriptor.number) == 0 else { throw failure("cannot flush", .serverFailure) }
    }

    private mutating func rotate() throws(UploadError) {
        try flush()
        for index in stride(from: keepCount - 1, to: 0, by: -1) {
            guard rename("\(path).\(index)", "\(path).\(index + 1)") == 0 || errno == ENOENT else {
                throw failure("cannot put aside", .serverFailure)
            }
        }
        guard rename(path, "\(path).1") == 0 else { throw failure("cannot put aside", .serverFailure) }
        try open()
    }

    private func failure(_ what: String, _ code: UploadError.Code) -> UploadError {
        let why = String(cString: strerror(errno))
        return UploadError(
            code, "\(what) \(path) (\(why)); check the path, the rights and the space left", retry: .afterBackoff)
    }

    /// An open file, closed when the last reference goes.
    private final class Descriptor: Sendable {
        let number: Int32
        init(_ number: Int32) { self.number = number }
        deinit { close(number) }
    }
}
