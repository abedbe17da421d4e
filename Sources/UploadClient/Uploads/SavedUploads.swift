/// The unfinished uploads of a manager as one value: see ``UploadManager/saveExecutingUploads()``.
public struct SavedUploads: Hashable, Codable, Sendable {
    public var identifier: UploadIdentifier
    public var uploads: [ResumableUpload]

    public init(identifier: UploadIdentifier, uploads: [ResumableUpload]) {
        self.identifier = identifier
        self.uploads = uploads
    }
}
