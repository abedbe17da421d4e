public import Foundation
import Glibc

/// The status of a file from stat(2).
public struct FileStatus: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case regular, directory, symbolicLink, other
    }

    public let kind: Kind
    /// Bytes.
    public let size: Int64
    public let device: UInt64
    public let inode: UInt64
    /// The last change of the contents, in nanoseconds since 1970: from 1677 to 2262. A time beyond this range counts as its nearest end,
    /// since every user may give a file any time (`touch -d`).
    public let modifiedNanoseconds: Int64
    /// Permission bits.
    public let mode: UInt32
    public let group: UInt32
    /// The names of the file (hard links).
    public let linkCount: UInt64

    init(_ raw: stat) {
        kind =
            switch raw.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        size = Int64(raw.st_size)
        device = UInt64(raw.st_dev)
        inode = UInt64(raw.st_ino)
        modifiedNanoseconds = Self.nanoseconds(raw.st_mtim)
        mode = raw.st_mode & 0o7777
        group = raw.st_gid
        linkCount = UInt64(raw.st_nlink)
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (product, isTooLarge) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflows) = product.addingReportingOverflow(Int64(time.tv_nsec))
        guard isTooLarge || overflows else { return sum }
        return time.tv_sec < 0 ? .min : .max
    }

    public var modifiedAt: Date { Date(timeIntervalSince1970: Double(modifiedNanoseconds) / 1e9) }

    /// Whether both belong to the same file, whatever its contents.
    public func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

    /// Whether both belong to the same file, with the same size and time.
    public func isUnchanged(since other: FileStatus) -> Bool {
        isSameFile(as: other) && size == other.size && modifiedNanoseconds == other.modifiedNanoseconds
    }
}
