import Foundation
import Uploads

/// The fields of a request for a ticket, filled in for a job.
struct PresignedFields: Sendable {
    /// Placeholders of the MD5 digest: hexadecimal, and base64 as in `Content-MD5`.
    static let md5Names: Set<String> = ["md5", "contentMD5"]

    private let templates: [String: JobTemplate]
    private let sizes: Set<String>
    private let switches: [String: Bool]
    /// Whether a field needs the MD5 digest, for which the file has to be read once.
    let needMD5: Bool

    /// - Throws: `misconfigured` for an invalid template. The error leaves out its text, which may be a secret.
    init(_ fields: [String: String]) throws(UploadError) {
        var templates: [String: JobTemplate] = [:]
        var needMD5 = false
        for (name, text) in fields {
            do throws(UploadError) {
                templates[name] = try JobTemplate(text, more: Self.md5Names)
                let placeholders = try TextTemplate(text).placeholders
                needMD5 = needMD5 || placeholders.contains { Self.md5Names.contains($0) }
            } catch {
                throw UploadError(
                    .misconfigured,
                    "the destination's field '\(name)' is no template: use {key}, {name}, {size}, {contentType}, {md5}, {sha256} "
                        + "or {metadata.x}, and write a literal brace twice")
            }
        }
        self.templates = templates
        self.needMD5 = needMD5
        sizes = Set(fields.filter { $0.value == "{size}" }.keys)
        switches = fields.compactMapValues { ["true": true, "false": false][$0] }
    }

    /// - Throws: `rejected` for a job that lacks a value which a template needs.
    func values(for job: UploadJob, md5: Data?) throws(UploadError) -> [String: JSONValue] {
        var more: [String: String] = [:]
        if let md5 { more = ["md5": Hexadecimal.text(of: md5), "contentMD5": md5.base64EncodedString()] }
        var values: [String: JSONValue] = [:]
        for (name, template) in templates {
            let text = try template.needed(for: job, more: more)
            values[name] =
                if sizes.contains(name) { .integer(job.size) } else {
                    switches[name].map { .bool($0) } ?? .string(text)
                }
        }
        return values
    }

    /// - Throws: `rejected` for a job that lacks a value which a template needs. The MD5 digest, which is computed later, may be missing.
    func check(_ job: UploadJob) throws(UploadError) { _ = try values(for: job, md5: Data()) }
}
