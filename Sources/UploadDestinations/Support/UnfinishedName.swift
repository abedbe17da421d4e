import Crypto
import Foundation
import Uploads

/// The name of an object in a directory until it is whole: `.NAME.longshore-ID.part`, with the job's id.
enum UnfinishedName {
    static let infix = ".longshore-"

    /// A name beside the object's; a long name is replaced by a hash, so that the result has at most 255 bytes.
    static func make(_ name: String, _ end: String) -> String {
        guard name.utf8.count > 180 else { return ".\(name)\(infix)\(end)" }
        let hash = Hexadecimal.text(of: SHA256.hash(data: Data(name.utf8)).prefix(16))
        return ".\(hash)\(infix)\(end)"
    }

    /// The object's name, or a hash of a long name, and the job's id.
    static func read(_ fileName: String, suffix: String) -> (name: String, job: JobID)? {
        guard fileName.hasBytePrefix("."), fileName.hasByteSuffix(suffix) else { return nil }
        // By bytes: a name may begin with a combining mark, which forms one character with the dot before it.
        let rest = fileName.utf8.dropFirst().dropLast(suffix.utf8.count)
        let id = String(Substring(rest.suffix(JobID.length)))
        let name = String(Substring(rest.dropLast(JobID.length)))
        guard let job = JobID(id), job.rawValue == id, name.hasByteSuffix(infix) else { return nil }
        return (String(Substring(name.utf8.dropLast(infix.utf8.count))), job)
    }
}
