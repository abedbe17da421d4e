import Foundation
import Uploads

/// Where a job's object belongs, and where it lies until it is whole.
struct WebDAVTarget: Sendable {
    static let suffix = ".part"

    let job: UploadJob
    /// Below the destination's folder, escaped.
    let path: String
    /// The same of the unfinished file.
    let temporaryPath: String
    let temporaryName: String
    /// What a server may take for something else than a part of a name: ASCII beyond the unreserved characters (RFC 3986, section 2.3).
    let unusualCharacters: Set<Unicode.Scalar>

    /// - Throws: `rejected` for a key that is no path, or too long or too deep a one; `misconfigured` for a whole URL.
    init(_ job: UploadJob, _ configuration: WebDAVConfiguration) throws(UploadError) {
        self.job = job
        guard case .named(_, let key) = job.destination else {
            throw UploadError(.misconfigured, "a WebDAV destination is named: use NAME:KEY instead of a URL")
        }
        path = try URLKey.path(key)
        unusualCharacters = Set(
            key.unicodeScalars.filter {
                $0.isASCII && $0 != "/" && URLKey.escape(String($0)) != String($0)
            })
        let components = key.pathComponents
        let name = components.last ?? ""
        // What file systems allow (path_resolution(7), NAME_MAX); servers say 500 or 405 to more.
        guard components.allSatisfy({ $0.utf8.count <= 255 }), components.count <= WebDAVLimits.depthMaximum else {
            throw UploadError(
                .rejected,
                "'\(key)' is no key for WebDAV: no component may be longer than 255 bytes, and there may be \(WebDAVLimits.depthMaximum)"
            )
        }
        guard Self.unfinished(name) == nil else {
            throw UploadError(
                .rejected, "'\(key)' is no key for WebDAV: names such as '.NAME.longshore-…' are of unfinished uploads")
        }
        temporaryName = Self.temporaryName(name, job.id)
        let folder = try configuration.temporaryFolder.map(URLKey.path)
        let beside = path.split(separator: "/").dropLast().joined(separator: "/")
        temporaryPath = [folder ?? beside, URLKey.escape(temporaryName)].filter { !$0.isEmpty }.joined(separator: "/")
    }

    /// Paths in the temporary file's folder: of a name with the unusual characters in it, and of what a server may make of that name. All
    /// carry the job's id, so this driver may remove what lies there.
    var trialPaths: (whole: String, others: Set<String>) {
        let folder = temporaryPath.split(separator: "/").dropLast().joined(separator: "/")
        func path(_ name: String) -> String { (folder.isEmpty ? "" : folder + "/") + URLKey.escape(name) }
        let start = ".trial\(UnfinishedName.infix)\(job.id)\(Self.suffix)"
        // The digits show a server that decodes twice: it takes %41 for A.
        let texts = unusualCharacters.sorted().map { $0 == "%" ? "%41" : String($0) }
        let whole = start + texts.joined() + "\(UnfinishedName.infix)\(job.id)\(Self.suffix)"
        // Cut at one of the characters, decoded, or both.
        let cut = texts.indices.map { start + texts[..<$0].joined() }
        var others = Set(cut + (cut + [whole]).compactMap(\.removingPercentEncoding))
        others.remove(whole)
        return (path(whole), Set(others.map(path)))
    }

    /// Of a job always the same, so that an attempt replaces what the one before it has left.
    private static func temporaryName(_ name: String, _ job: JobID) -> String {
        UnfinishedName.make(name, "\(job)\(suffix)")
    }

    /// What the name of an unfinished file says.
    static func unfinished(_ name: String) -> (name: String, job: JobID)? { UnfinishedName.read(name, suffix: suffix) }
}
