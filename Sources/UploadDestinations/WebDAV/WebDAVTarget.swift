import Foundation
import Uploads

/// The paths of a job's object and of its unfinished file.
struct WebDAVTarget: Sendable {
    static let suffix = ".part"

    let job: UploadJob
    /// Path below the destination's folder, escaped.
    let path: String
    /// Path of the unfinished file below the destination's folder, escaped.
    let temporaryPath: String
    let temporaryName: String
    /// Characters that a server may not take for a part of a name: ASCII beyond the unreserved characters (RFC 3986, section 2.3).
    let unusualCharacters: Set<Unicode.Scalar>

    /// - Throws: `rejected` for a key that is not a path, is too long, or has too many components; `misconfigured` for a whole URL.
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
        // The limits of file systems (path_resolution(7), NAME_MAX); servers answer 500 or 405 to longer names.
        guard components.allSatisfy({ $0.utf8.count <= 255 }), components.count <= WebDAVLimits.depthMaximum else {
            throw UploadError(
                .rejected,
                "'\(key)' is no key for WebDAV: no component may be longer than 255 bytes, and there may be \(WebDAVLimits.depthMaximum)"
            )
        }
        guard Self.unfinished(name) == nil else {
            throw UploadError(
                .rejected,
                "'\(key)' is no key for WebDAV: names such as '.NAME.longshore-…' belong to unfinished uploads")
        }
        temporaryName = Self.temporaryName(name, job.id)
        let folder = try configuration.temporaryFolder.map(URLKey.path)
        let beside = path.split(separator: "/").dropLast().joined(separator: "/")
        temporaryPath = [folder ?? beside, URLKey.escape(temporaryName)].filter { !$0.isEmpty }.joined(separator: "/")
    }

    /// Paths in the temporary file's folder: of a name with the unusual characters, and of the names that a server may make of it. All
    /// carry the job's id, so this driver may remove files there.
    var trialPaths: (whole: String, others: Set<String>) {
        let folder = temporaryPath.split(separator: "/").dropLast().joined(separator: "/")
        func path(_ name: String) -> String { (folder.isEmpty ? "" : folder + "/") + URLKey.escape(name) }
        let start = ".trial\(UnfinishedName.infix)\(job.id)\(Self.suffix)"
        // The digits reveal a server that decodes twice: it takes %41 for A.
        let texts = unusualCharacters.sorted().map { $0 == "%" ? "%41" : String($0) }
        let whole = start + texts.joined() + "\(UnfinishedName.infix)\(job.id)\(Self.suffix)"
        // The server may cut the name at one of the characters, decode it, or both.
        let cut = texts.indices.map { start + texts[..<$0].joined() }
        var others = Set(cut + (cut + [whole]).compactMap(\.removingPercentEncoding))
        others.remove(whole)
        return (path(whole), Set(others.map(path)))
    }

    /// The same name for every attempt of a job, so that an attempt replaces the file that an earlier one has left.
    private static func temporaryName(_ name: String, _ job: JobID) -> String {
        UnfinishedName.make(name, "\(job)\(suffix)")
    }

    /// Reads the object's name and the job's id from the name of an unfinished file.
    static func unfinished(_ name: String) -> (name: String, job: JobID)? { UnfinishedName.read(name, suffix: suffix) }
}
