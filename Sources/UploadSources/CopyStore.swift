package import Uploads

/// A staging area, as a producer sees it: takes the bytes of files that do not travel inside their jobs.
package protocol CopyStore: Sendable {
    /// The copies that are worth making at the same time.
    var copiesAtOnce: Int { get }

    /// Copies a file as a whole.
    /// - Parameters:
    ///   - name: the copy's name, an id that no other copy has; nil makes one. A store that goes on with the copy of a dead producer
    ///     keeps that one's name.
    ///   - sha256: whether the digests include the SHA-256.
    /// - Throws: `invalidFile` (missing, unreadable, no regular file, no space), `sourceChanged` when the file changes meanwhile,
    ///   `interrupted` when the task is cancelled, and the errors of the store.
    func stage(fileAt path: FilePath, as name: JobID?, sha256: Bool) async throws(UploadError) -> StagedFile

    /// Copies the bytes of a stream, such as standard input.
    func stage(
        _ chunks: some AsyncSequence<[UInt8], any Error> & Sendable, as name: JobID?, sha256: Bool
    ) async throws(UploadError) -> StagedFile

    /// Gives a file that is to be removed a second name instead of a copy.
    /// - Returns: nil where the file has to be copied.
    func link(fileAt path: FilePath, sha256: Bool) async throws(UploadError) -> StagedFile?

    /// Begins a copy that is sent while it is made.
    /// - Returns: nil where a copy has to be complete before its job is published.
    func beginCopy(ofFileAt path: FilePath) async throws(UploadError) -> GrowingCopy?

    /// Makes all copies since the last call durable.
    func synchronize() async throws(UploadError)

    /// Removes the copy of a job that was not published. A reference to anything else than a copy of this store is no error.
    func remove(_ reference: SourceReference) async throws(UploadError)

    /// Removes a copy, finished or not, that a dead program has left and that no job needs.
    func removeRemains(of copy: String) async throws(UploadError)

    /// Ends the store's work. Copies under way stop where they are.
    func close() async
}

extension CopyStore {
    package func stage(fileAt path: FilePath, sha256: Bool = false) async throws(UploadError) -> StagedFile {
        try await stage(fileAt: path, as: nil, sha256: sha256)
    }
}

/// Two copies at a time keep a disk busy.
extension StagingArea: CopyStore {
    package var copiesAtOnce: Int { 2 }

    package func close() async {}
}
