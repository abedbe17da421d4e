import Foundation
import Synchronization
public import Uploads

/// A staging area at a destination, such as a bucket: no host needs a directory of another host.
///
/// The object `PREFIXlongshore-area` holds the area's id. A copy is the object `PREFIX<name>`; beside one of more than a block lies
/// `PREFIX<name>.blocks`, with the digests of its blocks. Its producer writes the copy first and the digests second, and then publishes
/// the job; a program that removes them keeps this order. The area has no locks: what keeps two workers apart are fences and probes.
public final class DestinationArea: Sendable {
    /// Where an area is.
    public struct Place: Hashable, Sendable, CustomStringConvertible {
        public let destination: DestinationName
        /// What the keys of all objects in the area begin with; empty, or with a slash at its end.
        public let prefix: String

        public init(at destination: DestinationName, prefix: String) {
            self.destination = destination
            self.prefix = prefix
        }

        public var description: String { "\(destination):\(prefix)" }

        /// A job with the object of this name in the area as its destination, for the calls of a driver.
        package func job(for name: String) -> UploadJob {
            UploadJob(source: .inline(Data()), destination: .named(destination, key: prefix + name), size: 0)
        }

        /// The driver.
        /// - Throws: `misconfigured` for a destination that is not configured, or that cannot hold a staging area.
        package func driver(of destinations: any DestinationProvider) throws(UploadError) -> any RemovableDestination {
            guard let found = try destinations.destination(for: job(for: DestinationArea.idName).destination) else {
                throw UploadError(
                    .misconfigured,
                    "the staging area \(self): no destination '\(destination)' is configured here: add it, or name another"
                )
            }
            guard let removable = found as? any RemovableDestination else {
                throw UploadError(
                    .misconfigured,
                    "the staging area \(self): the driver '\(found.driver)' cannot read, list and remove; use one of s3 and directory"
                )
            }
            return removable
        }
    }

    /// Not hidden, as in a directory: the directory driver keeps such names for itself.
    static let idName = "longshore-area"
    private static let idBytesMaximum: Int64 = 64

    public let id: String
    public let place: Place
    let destinations: any DestinationProvider

    private init(id: String, place: Place, destinations: any DestinationProvider) {
        self.id = id
        self.place = place
        self.destinations = destinations
    }

    /// The area at a place.
    /// - Returns: nil where there is none (yet); the call creates nothing.
    /// - Throws: `misconfigured`, and the errors of the destination.
    public static func existing(
        at place: Place, of destinations: any DestinationProvider
    ) async throws(UploadError) -> DestinationArea? {
        let driver = try place.driver(of: destinations)
        guard let text = try await contents(of: idName, at: place, driver, bytesMaximum: idBytesMaximum) else {
            return nil
        }
        let id = String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard UUID(uuidString: id) != nil else {
            throw UploadError(
                .misconfigured,
                "\(place)\(idName) should hold the staging area's id, a UUID: restore it, or use another prefix")
        }
        return DestinationArea(id: id, place: place, destinations: destinations)
    }

    /// The area at a place, which is made if there is none.
    /// - Parameter write: writes an object unless one lies there. A destination without conditional writes may overwrite the id of
    ///   another program that makes the area at the same moment.
    public static func open(
        at place: Place, of destinations: any DestinationProvider,
        write: (_ bytes: [UInt8], _ job: UploadJob) async throws(UploadError) -> Void
    ) async throws(UploadError) -> DestinationArea {
        if let area = try await existing(at: place, of: destinations) { return area }
        var job = place.job(for: idName)
        job.ifExists = .skip
        try await write(Array("\(UUID().uuidString.lowercased())\n".utf8), job)
        // Programs that made the area at the same moment agree on the id that was written last.
        try await ObjectSource.rest(for: job)
        guard let area = try await existing(at: place, of: destinations) else {
            throw UploadError(
                .invalidResponse,
                "\(place)\(idName) was written and is not there: the destination forgets what it has confirmed; use another",
                retry: .afterBackoff)
        }
        return area
    }

    /// The contents of a small object.
    /// - Returns: nil where there is none.
    /// - Throws: `invalidFile` for a larger one, and the errors of reading.
    static func contents(
        of name: String, at place: Place, _ driver: any RemovableDestination, bytesMaximum: Int64
    ) async throws(UploadError) -> [UInt8]? {
        let job = place.job(for: name)
        guard let object = try await driver.find(job)?.object else { return nil }
        guard let size = object.size, size <= bytesMaximum else {
            throw UploadError(
                .invalidFile,
                "\(place)\(name) is larger than what a staging area keeps there: remove it, and enqueue again")
        }
        guard size > 0 else { return [] }
        let kept = Mutex<[UInt8]>([])
        try await driver.read(object, of: job, 0..<size) { buffer async throws(UploadError) in
            kept.withLock { $0 += buffer }
        }
        return kept.withLock { $0 }
    }
}

extension DestinationArea {
    /// Opens a copy for a slice.
    func claim(_ name: String, for job: UploadJob) async throws(UploadError) -> SourceClaim {
        let name = try StagingArea.checked(name)
        let driver = try place.driver(of: destinations)
        let copy = place.job(for: name)
        guard let object = try await find(copy, at: driver) else { return .gone }
        guard object.size == job.size else {
            throw UploadError(
                .sourceChanged,
                "the staged copy \(copy.destination.displayText) has \(object.size ?? 0) bytes, the job says \(job.size): enqueue the file "
                    + "again")
        }
        guard let blocks = try await blockDigests(of: name, for: job, driver) else {
            throw UploadError(
                .invalidFile,
                "\(copy.destination.displayText) has no digests, or damaged ones: enqueue the file again")
        }
        var source = copy
        source.size = job.size
        return .claimed(StagedObject(ObjectSource(object, of: source, at: driver), blocks: blocks))
    }

    /// Removes a copy and its digests. A missing copy is no error.
    /// - Parameter hasBlocks: whether it may have more than a block, and so digests.
    package func remove(_ name: String, hasBlocks: Bool = true) async throws(UploadError) {
        let name = try StagingArea.checked(name)
        let driver = try place.driver(of: destinations)
        try await driver.removeObject(of: place.job(for: name))
        if hasBlocks { try await driver.removeObject(of: place.job(for: name + BlockDigests.suffix)) }
    }

    /// Takes a copy as missing only after a second look: one of several servers may not know the object yet.
    private func find(
        _ copy: UploadJob, at driver: any RemovableDestination
    ) async throws(UploadError) -> StoredObject? {
        if let found = try await driver.find(copy) { return found.object }
        try await ObjectSource.rest(for: copy)
        return try await driver.find(copy)?.object
    }

    private func blockDigests(
        of name: String, for job: UploadJob, _ driver: any RemovableDestination
    ) async throws(UploadError) -> BlockDigests? {
        guard job.size > PartPlan.blockBytes else {
            return job.digests.crc64nvme.flatMap { UInt64($0, radix: 16) }.map { BlockDigests(only: CRC64NVME($0)) }
        }
        let bytes = try await Self.contents(
            of: name + BlockDigests.suffix, at: place, driver,
            bytesMaximum: Int64(BlockDigests.encodedBytes(of: job.size)))
        return bytes.flatMap { BlockDigests(decoding: $0, of: job.size) }
    }
}
