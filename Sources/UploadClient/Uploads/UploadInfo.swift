/// Descriptive data of an upload: it travels to the destination and with every event.
public struct UploadInfo: Hashable, Codable, Sendable {
    /// Metadata `title`.
    public var title: String?
    /// Metadata `description`.
    public var description: String?
    /// Anything else. The destination decides which names are allowed; S3 takes 2 KB in all.
    public var metadata: [String: String]

    public init(title: String? = nil, description: String? = nil, metadata: [String: String] = [:]) {
        self.title = title
        self.description = description
        self.metadata = metadata
    }

    /// The metadata of the job.
    var jobMetadata: [String: String] {
        var all = metadata
        if let title { all["title"] = title }
        if let description { all["description"] = description }
        return all
    }
}
