import Foundation
import Glibc
import LinuxFiles
import Synchronization
import Uploads

/// An unfinished upload: the file, and the record of the parts that it holds.
///
/// The record is 64 bytes of header and 32 bytes for each part, all little-endian with a CRC-64/NVME of their own, so that a half-written
/// entry is invalid. The header names the file's inode, so that the record never describes another file. The driver creates the record
/// after the file's name is durable, and removes it before the file.
final class DirectoryRecord: Sendable {
    /// What is known of a part that the file holds.
    enum HeldPart: Hashable, Sendable {
        case written(CRC64NVME)
        /// The kernel has copied it from the source object, so that its checksum is not known.
        case copied
    }

    let plan: PartPlan
    let object: File

    private let journal: File
    private let partName: String
    private let parts: Mutex<[Int: HeldPart]>
    /// How many flushes have failed.
    private let failedFlushes = Mutex(0)

    private init(_ object: File, _ journal: File, _ plan: PartPlan, _ partName: String, _ held: [Int: HeldPart]) {
        self.object = object
        self.journal = journal
        self.plan = plan
        self.partName = partName
        parts = Mutex(held)
    }

    var state: UploadState { DirectoryState(partName: partName, partBytes: plan.partSize).state }

    /// The parts that the file holds.
    var held: [Int: HeldPart] { parts.withLock { $0 } }

    /// The checksum of the whole; nil while a part is missing, or where the kernel has copied one.
    var wholeChecksum: CRC64NVME? {
        let held = self.held
        var whole = CRC64NVME()
        for part in plan.parts {
            guard case .written(let checksum) = held[part.number] else { return nil }
            whole.append(checksum, count: part.size)
        }
        return whole
    }

    var isWhole: Bool { held.count == plan.count }

    /// Whether the kernel has copied every part.
    var isCopy: Bool { isWhole && plan.count > 0 && held.values.allSatisfy { $0 == .copied } }

    /// The value for ``add(_:_:writtenSince:)``: the caller takes it before it writes the first byte of a part.
    var flushMark: Int { failedFlushes.withLock { $0 } }

    /// Records a part whose bytes are written. The method flushes them first.
    ///
    /// The kernel reports bytes that it could not write only once, to the next caller that flushes, and then takes them for written
    /// (fsync(2), NOTES): a failed flush spoils every part that was being written.
    func add(_ part: Part, _ held: HeldPart, writtenSince mark: Int) throws(SystemError) {
        let problem = failedFlushes.withLock { failed -> SystemError? in
            guard failed == mark else { return SystemError(EIO, call: "fdatasync", path: object.path) }
            do throws(SystemError) {
                try object.synchronizeData()
                return nil
            } catch {
                failed += 1
                return error
            }
        }
        if let problem { throw problem }
        try journal.write(
            Self.entry(of: part, held), at: Self.headerBytes + Int64(part.number - 1) * Self.entryBytes)
        parts.withLock { $0[part.number] = held }
    }
}

extension DirectoryRecord {
    private static let magic: UInt64 = 0x3154_5241_5053_4c  // "LSPART1"
    private static let headerBytes: Int64 = 64
    private static let entryBytes: Int64 = 32
    /// Set in the size of a part that the kernel has copied.
    private static let copiedBit: UInt64 = 1 << 63

    static func create(at place: DirectoryPlace, plan: PartPlan) throws(SystemError) -> DirectoryRecord {
        let (directory, target) = (place.directory, place.target)
        try directory.remove(target.recordName)
        try directory.remove(target.partName)
        let object = try directory.open(target.partName, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        do throws(SystemError) {
            try object.allocate(plan.size)
            try object.synchronize()
            try directory.synchronize()
            let journal = try directory.open(target.recordName, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
            try journal.write(header(plan, inode: object.status().inode), at: 0)
            return DirectoryRecord(object, journal, plan, target.partName, [:])
        } catch {
            // Without a record no state names these files, so no worker would find them later.
            try? directory.remove(target.recordName)
            try? directory.remove(target.partName)
            throw error
        }
    }

    /// - Returns: nil when the file or the record is missing, or they do not belong together.
    static func open(at place: DirectoryPlace) throws(SystemError) -> DirectoryRecord? {
        let (directory, target) = (place.directory, place.target)
        let object: File
        let journal: File
        do throws(SystemError) {
            object = try directory.open(target.partName, O_RDWR | O_NOFOLLOW)
            journal = try directory.open(target.recordName, O_RDWR | O_NOFOLLOW)
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
        let status = try object.status()
        let bytes = try journal.read(Int(headerBytes), at: 0)
        let partSize = word(2, of: bytes).flatMap { Int64(exactly: $0) } ?? 0
        guard (1...WireLimits.sizeMaximum).contains(partSize), status.size == target.job.size else { return nil }
        let plan = PartPlan(size: target.job.size, partSize: partSize)
        guard bytes == header(plan, inode: status.inode) else { return nil }
        return DirectoryRecord(object, journal, plan, target.partName, try entries(of: journal, plan))
    }

    private static func entries(of journal: File, _ plan: PartPlan) throws(SystemError) -> [Int: HeldPart] {
        var held: [Int: HeldPart] = [:]
        let bytes = try journal.read(plan.count * Int(entryBytes), at: headerBytes)
        for index in 0..<bytes.count / Int(entryBytes) {
            let entry = Array(bytes[index * Int(entryBytes)..<(index + 1) * Int(entryBytes)])
            let part = plan.part(index + 1)
            guard let checksum = word(2, of: entry) else { continue }
            let possible = [HeldPart.written(CRC64NVME(checksum)), .copied]
            held[part.number] = possible.first { Self.entry(of: part, $0) == entry }
        }
        return held
    }

    private static func entry(of part: Part, _ held: HeldPart) -> [UInt8] {
        let (number, size) = (UInt64(part.number), UInt64(part.size))
        return switch held {
        case .written(let checksum): entry([number, size, checksum.value])
        case .copied: entry([number, size | copiedBit, 0])
        }
    }

    private static func header(_ plan: PartPlan, inode: UInt64) -> [UInt8] {
        entry([magic, UInt64(plan.size), UInt64(plan.partSize), inode, 0, 0, 0])
    }

    private static func entry(_ words: [UInt64]) -> [UInt8] {
        let bytes = words.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
        return bytes + withUnsafeBytes(of: CRC64NVME(of: bytes).value.littleEndian) { Array($0) }
    }

    private static func word(_ index: Int, of bytes: [UInt8]) -> UInt64? {
        guard bytes.count >= (index + 1) * 8 else { return nil }
        return bytes[index * 8..<(index + 1) * 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
