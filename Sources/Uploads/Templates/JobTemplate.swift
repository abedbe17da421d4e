import Foundation

/// A configured text with placeholders that are filled in for each job: `{name} of {metadata.album}`.
///
/// | placeholder | value |
/// |---|---|
/// | `{key}` | the key, or of a URL the path |
/// | `{name}` `{stem}` `{ext}` | the key's last component, the same without its extension, the extension without its dot |
/// | `{date}` | the day on which the job was enqueued, as 2026-11-22 (UTC) |
/// | `{size}` `{contentType}` `{sha256}` | of the file; the digest in hexadecimal |
/// | `{job}` `{queue}` `{batch}` | the job's id, its transfer queue, its batch |
/// | `{metadata.x}` | the job's metadata under `x` |
public struct JobTemplate: Hashable, Sendable {
    private static let names: Set<String> = [
        "batch", "contentType", "date", "ext", "job", "key", "name", "queue", "sha256", "size", "stem",
    ]

    private let template: TextTemplate

    /// - Parameter more: placeholders besides those of every job, whose values the driver knows.
    /// - Throws: `misconfigured` for an unmatched brace, or an unknown placeholder.
    public init(_ text: String, more: Set<String> = []) throws(UploadError) {
        template = try TextTemplate(text)
        for name in template.placeholders {
            guard Self.names.contains(name) || more.contains(name) || Self.metadataName(name) != nil else {
                let known = (Self.names.union(more).sorted() + ["metadata.x"]).map { "{\($0)}" }
                throw UploadError(
                    .misconfigured,
                    "'\(text)': there is no placeholder {\(name)}; there are \(known.joined(separator: ", "))")
            }
        }
    }

    /// The text for a job.
    /// - Parameter more: values of the driver's own placeholders.
    /// - Returns: nil when the job lacks something that the template names.
    public func text(for job: UploadJob, more: [String: String] = [:]) -> String? {
        template.filled { more[$0] ?? Self.value(of: $0, job) }
    }

    /// The text for a job that must have all values.
    /// - Throws: `rejected` when the job lacks something that the template names.
    public func needed(for job: UploadJob, more: [String: String] = [:]) throws(UploadError) -> String {
        if let text = text(for: job, more: more) { return text }
        let missing = template.placeholders.filter { more[$0] == nil && Self.value(of: $0, job) == nil }
        throw UploadError(
            .rejected,
            "the destination needs \(missing.map { "{\($0)}" }.joined(separator: ", ")) of each job, which this one lacks: "
                + "enqueue the file with it, or change the destination", retry: .never)
    }

    private static func metadataName(_ name: String) -> Substring? {
        name.hasPrefix("metadata.") && name.count > 9 ? name.dropFirst(9) : nil
    }

    private static func value(of name: String, _ job: UploadJob) -> String? {
        if let key = metadataName(name) { return job.metadata[String(key)] }
        let fileName = FileName(path: job.destination.path)
        switch name {
        case "batch": return job.batch
        case "contentType": return job.contentType
        case "date": return String(WireJSON.timestamp(job.enqueuedAt).prefix(10))
        case "ext": return fileName.ext
        case "job": return job.id.rawValue
        case "key": return job.destination.path
        case "name": return fileName.name
        case "queue": return job.queue.rawValue
        case "sha256": return job.digests.sha256
        case "size": return String(job.size)
        case "stem": return fileName.stem
        default: return nil
        }
    }
}

extension DestinationReference {
    /// The key, or the path of a URL without its first slash, decoded.
    fileprivate var path: String {
        switch self {
        case .named(_, let key): return key
        case .url(let url):
            let bare = DestinationReference.redact(url)
            let rest = bare.firstRange(of: "://").map { bare[$0.upperBound...] } ?? bare[...]
            let path = String(rest.drop { $0 != "/" }.dropFirst())
            return path.removingPercentEncoding ?? path
        }
    }
}
