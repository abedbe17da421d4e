public import Foundation
import Synchronization
public import Uploads

extension DestinationArea: SweepableStaging {
    /// The objects that one sweep looks at; more are left for the next ones.
    private static let objectsMaximum = 200_000

    public func leftovers(changedBefore: Date) async throws(UploadError) -> [StagedLeftover] {
        let objects = Mutex<[String: ListedObject]>([:])
        let prefix = place.prefix
        try await place.driver(of: destinations).list(below: prefix) { page throws(UploadError) in
            objects.withLock { objects in
                for object in page where objects.count < Self.objectsMaximum {
                    let name = object.key.dropping(bytes: prefix.utf8.count)
                    guard let changedAt = object.modifiedAt, changedAt < changedBefore, Self.isOwn(name) else {
                        continue
                    }
                    objects[name] = object
                }
            }
        }
        let found = objects.withLock { $0 }
        let isWhole = found.count < Self.objectsMaximum
        let leftovers = found.compactMap { name, object -> StagedLeftover? in
            let copy = Self.copy(of: name)
            // A producer writes the digests after their copy. So digests without a copy are what a removal has left.
            if copy != name, found[copy] != nil || !isWhole { return nil }
            return StagedLeftover(
                kind: copy == name ? .copy : .partial, name: name, changedAt: object.modifiedAt ?? .distantPast,
                bytes: object.size)
        }
        // Objects first: an upload whose object is there may not be aborted, because some stores would remove the object's parts.
        let uploads = await uploads(startedBefore: changedBefore).map(\.leftover)
        let all = [leftovers, uploads].flatMap { group in group.sorted { $0.changedAt < $1.changedAt } }
        return Array(all.prefix(StagedLeftover.countMaximum))
    }

    /// A copy is never written to again, so there is nothing to be asked before.
    public func discard(_ leftover: StagedLeftover) async throws(UploadError) -> Bool {
        if leftover.kind == .upload {
            let found = await uploads(startedBefore: .distantFuture).first { $0.leftover.name == leftover.name }
            guard let found else { return true }
            try await (place.driver(of: destinations) as? any SweepableDestination)?.discard(found.upload)
            return true
        }
        guard Self.isOwn(leftover.name) else { return false }
        try await remove(Self.copy(of: leftover.name))
        return true
    }

    private struct BegunCopy {
        let upload: UnfinishedUpload
        let leftover: StagedLeftover
    }

    /// Uploads of copies that were begun and not completed; none where the destination does not list them, or not to this program.
    private func uploads(startedBefore: Date) async -> [BegunCopy] {
        guard let driver = try? place.driver(of: destinations) as? any SweepableDestination, driver.canBeSwept,
            let found = try? await driver.unfinished(startedBefore: startedBefore)
        else { return [] }
        return found.compactMap { upload in
            guard upload.key.hasBytePrefix(place.prefix) else { return nil }
            let name = upload.key.dropping(bytes: place.prefix.utf8.count)
            guard Self.isOwn(name) else { return nil }
            return BegunCopy(
                upload: upload,
                leftover: StagedLeftover(
                    kind: .upload, name: "\(name)#\(upload.sessionID)", changedAt: upload.startedAt,
                    bytes: upload.bytes))
        }
    }

    /// The name of the copy to which an object belongs.
    private static func copy(of name: String) -> String {
        name.hasSuffix(BlockDigests.suffix) ? String(name.dropLast(BlockDigests.suffix.count)) : name
    }

    /// Whether it is a copy, or the digests of one. Anything else in the area is left alone.
    private static func isOwn(_ name: String) -> Bool { UUID(uuidString: copy(of: name)) != nil }
}
