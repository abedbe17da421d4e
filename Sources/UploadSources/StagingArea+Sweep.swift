public import Foundation
import Glibc
import LinuxFiles
import Synchronization
public import Uploads

extension StagingArea: SweepableStaging {
    /// The area at this path, if it exists and has its id.
    /// - Returns: nil where there is no area; the call creates nothing.
    /// - Throws: `misconfigured` when the area cannot be used.
    public static func existing(at path: String) async throws(UploadError) -> StagingArea? {
        let isThere = try await Blocking.run { () throws(UploadError) -> Bool in
            do throws(SystemError) {
                return try Directory.open(path).status(of: idName) != nil
            } catch {
                if error.number == ENOENT || error.number == ENOTDIR { return false }
                throw UploadError(staging: error)
            }
        }
        return isThere ? try await open(at: path) : nil
    }

    public func leftovers(changedBefore: Date) async throws(UploadError) -> [StagedLeftover] {
        try await Blocking.run { [self] () throws(UploadError) -> [StagedLeftover] in
            do throws(SystemError) {
                var found = try copies(changedBefore)
                for (folder, kind) in [(Outbox.name, StagedLeftover.Kind?.none), (KeyRegistry.name, .key)] {
                    guard let folder = try openIfThere(folder) else { continue }
                    found += try files(in: folder.directory, named: folder.name, kind, changedBefore)
                }
                // The outbox is read after the copies were listed: a job that left the outbox before is in the ledger's queue, and
                // the clean-up waits until the ledger has recorded that queue.
                if let outbox = try openIfThere(Outbox.name) {
                    let needed = try Outbox(directory: outbox.directory).stagedNames(of: id)
                    for index in found.indices { found[index].isInOutbox = needed.contains(found[index].name) }
                }
                return Array(found.prefix(StagedLeftover.countMaximum))
            } catch {
                throw UploadError(staging: error)
            }
        }
    }

    public func discard(_ leftover: StagedLeftover) async throws(UploadError) -> Bool {
        if leftover.kind == .copy || Self.isCopy(leftover.name) {
            _ = try Self.checked(leftover.name)
            return try await Blocking.run { [self] () throws(UploadError) -> Bool in
                if claimed.withLock({ $0.contains(leftover.name) }) { return false }
                return try removeIfFree(leftover.name)
            }
        }
        return try await Blocking.run { [self] () throws(UploadError) -> Bool in
            do throws(SystemError) {
                let parts = leftover.name.split(separator: "/").map(String.init)
                guard let name = parts.last else { return false }
                let folder = parts.count == 1 ? directory : try directory.openDirectory(beneath: parts[0])
                guard let status = try folder.status(of: name) else { return true }
                guard status.modifiedAt == leftover.changedAt else { return false }
                try folder.remove(name)
                return true
            } catch {
                throw UploadError(staging: error)
            }
        }
    }

    /// Removes what is too old to be needed from the spool of a host, where no notifier may look after it. Of several calls in a day one
    /// does; what it cannot remove stays.
    package func sweepSpool(now: Date = Date()) async {
        let isDue = await Blocking.run { [directory] in
            do throws(SystemError) {
                if let last = try directory.status(of: Self.sweptName), now.timeIntervalSince(last.modifiedAt) < 86_400
                {
                    return false
                }
                try directory.open(Self.sweptName, O_WRONLY | O_CREAT | O_NOFOLLOW, mode: 0o660).write([10], at: 0)
                return true
            } catch {
                return false
            }
        }
        guard isDue else { return }
        let rule = StagingRule()
        for leftover in (try? await leftovers(changedBefore: now - rule.lookAfter)) ?? []
        where leftover.kind != .copy && rule.isAbandoned(leftover, jobs: [], now: now) {
            _ = try? await discard(leftover)
        }
    }

    /// Its time is that of the last clean-up of a spool.
    private static let sweptName = ".swept"

    /// Copies under their own names, and the remains of unfinished ones.
    private func copies(_ changedBefore: Date) throws(SystemError) -> [StagedLeftover] {
        var found: [StagedLeftover] = []
        for name in try names(in: directory) where name != Self.idName {
            guard let status = try directory.status(of: name), status.kind == .regular,
                status.modifiedAt < changedBefore
            else { continue }
            if name.hasPrefix(".") {
                guard name.hasSuffix(".partial") else { continue }
                found.append(
                    StagedLeftover(kind: .partial, name: name, changedAt: status.modifiedAt, bytes: status.size))
            } else if name.hasSuffix(BlockDigests.suffix) {
                // Digests are removed with their copy; if the copy is gone, they are a leftover of their own.
                let copy = String(name.dropLast(BlockDigests.suffix.utf8.count))
                // In this order: a copy that is finished between the two checks had the first name and has the second.
                guard try directory.status(of: StagedDraft.temporaryName(of: copy)) == nil,
                    try directory.status(of: copy) == nil
                else { continue }
                found.append(
                    StagedLeftover(kind: .partial, name: name, changedAt: status.modifiedAt, bytes: status.size))
            } else {
                // A file that was linked here has the time of its last change, its digests that of the link.
                let digests = try directory.status(of: name + BlockDigests.suffix)
                let changedAt = max(status.modifiedAt, digests?.modifiedAt ?? .distantPast)
                guard changedAt < changedBefore else { continue }
                let isAbandoned = digests == nil ? false : try isAbandoned(name, status.size)
                let kind = isAbandoned ? StagedLeftover.Kind.partial : .copy
                found.append(StagedLeftover(kind: kind, name: name, changedAt: changedAt, bytes: status.size))
            }
        }
        return found
    }

    private static func isCopy(_ name: String) -> Bool {
        !name.hasPrefix(".") && !name.hasSuffix(BlockDigests.suffix) && !name.utf8.contains(UInt8(ascii: "/"))
    }

    /// Whether a copy that had its name before it was complete has lost its producer.
    private func isAbandoned(_ name: String, _ size: Int64) throws(SystemError) -> Bool {
        guard case .unsealed(_, let growth) = try BlockDigests.open(name + BlockDigests.suffix, of: size, in: directory)
        else { return false }
        return !growth.isLocked
    }

    /// - Parameter kind: the kind of files that are not temporary; nil where the clean-up must leave such files.
    private func files(
        in folder: Directory, named path: String, _ kind: StagedLeftover.Kind?, _ changedBefore: Date
    ) throws(SystemError) -> [StagedLeftover] {
        var found: [StagedLeftover] = []
        for name in try names(in: folder) {
            let isPartial = name.hasPrefix(".") && name.hasSuffix(".partial")
            guard let kind = isPartial ? .partial : kind, let status = try folder.status(of: name),
                status.kind == .regular, status.modifiedAt < changedBefore
            else { continue }
            found.append(
                StagedLeftover(kind: kind, name: "\(path)/\(name)", changedAt: status.modifiedAt, bytes: status.size))
        }
        return found
    }

    private func names(in folder: Directory) throws(SystemError) -> [String] {
        var names: [String] = []
        try folder.forEachEntry { name, _ in
            names.append(name)
            return true
        }
        return names
    }

    private func openIfThere(_ name: String) throws(SystemError) -> (directory: Directory, name: String)? {
        do throws(SystemError) {
            return (try directory.openDirectory(beneath: name), name)
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
    }
}
