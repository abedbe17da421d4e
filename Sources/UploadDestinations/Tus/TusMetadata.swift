import Foundation
import Uploads

/// The metadata that a client gives an upload when it makes it: `Upload-Metadata` (tus 1.0, "Creation").
struct TusMetadata: Hashable, Sendable {
    static let jobKey = "longshore-job"
    static let enqueuedKey = "longshore-enqueued-at"

    /// Values by key. A key is never empty and has neither spaces nor commas.
    var values: [String: String]

    /// Metadata that servers know by convention (`filename`, `filetype`, `relativePath`), the job's own metadata, and the job's mark. The
    /// job's own metadata replaces the conventional.
    /// - Throws: `rejected` for a name that the protocol cannot carry.
    init(_ job: UploadJob, key: String) throws(UploadError) {
        values = [
            "filename": key.split(separator: "/").last.map(String.init) ?? key, "filetype": job.contentType,
            "relativePath": key,
        ]
        for (name, value) in job.metadata.sorted(by: { $0.key < $1.key }) {
            guard Self.isKey(name) else {
                throw UploadError(
                    .rejected, "'\(name)' is no name of tus metadata: use printable ASCII without spaces and commas")
            }
            values[name] = value
        }
        let mark = JobMark(job)
        values[Self.jobKey] = mark.job
        values[Self.enqueuedKey] = mark.enqueuedAt
    }

    /// Metadata of a partial upload: only the job's mark.
    init(partOf job: UploadJob) {
        let mark = JobMark(job)
        values = [Self.jobKey: mark.job, Self.enqueuedKey: mark.enqueuedAt]
    }

    /// Reads the header that a server returns; pairs that cannot be read are left out.
    init(header: String) {
        values = [:]
        for pair in header.split(separator: ",") {
            let words = pair.split(separator: " ")
            guard let key = words.first, words.count <= 2 else { continue }
            let data = words.count == 2 ? Data(base64Encoded: String(words[1])) : Data()
            values[String(key)] = data.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The header: sorted keys with values in base64; a key whose value is empty is sent without one.
    /// - Throws: `rejected` when the header is longer than servers take.
    func header() throws(UploadError) -> String {
        let text = values.sorted { $0.key < $1.key }.map { key, value in
            value.isEmpty ? key : "\(key) \(Data(value.utf8).base64EncodedString())"
        }.joined(separator: ",")
        guard text.utf8.count <= TusLimits.metadataBytesMaximum else {
            throw UploadError(
                .rejected,
                "the metadata has \(text.utf8.count) bytes in base64, \(TusLimits.metadataBytesMaximum) can be sent: give less"
            )
        }
        return text
    }

    /// Whether the metadata names another job. A server may return no metadata, or only a part.
    func contradicts(_ job: UploadJob) -> Bool { values[Self.jobKey].map { $0 != job.id.rawValue } ?? false }

    private static func isKey(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: ",") }
    }
}
