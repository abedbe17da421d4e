import Foundation
import NIOHTTP1
import Uploads

/// The capabilities that a server announces (tus 1.0, "OPTIONS").
struct TusCapabilities: Hashable, Sendable {
    static let version = "1.0.0"

    /// Empty where the server does not say.
    var versions: [String]
    var extensions: Set<String>
    /// The algorithms of `Upload-Checksum` that both the server and this driver know; the strongest first.
    var checksums: [TusChecksum]
    /// The most bytes of an upload.
    var sizeMaximum: Int64?

    /// - Parameter reply: the answer to OPTIONS; a server that refuses OPTIONS counts as one without extensions.
    init(_ reply: HTTPReply) {
        let isAnswer = (200..<300).contains(reply.status)
        func list(_ name: String) -> [String] {
            guard isAnswer else { return [] }
            return reply.headers[canonicalForm: name].map { String($0).lowercased() }
        }
        versions = list("tus-version")
        extensions = Set(list("tus-extension"))
        let algorithms = list("tus-checksum-algorithm")
        checksums = TusChecksum.allCases.filter { algorithms.contains($0.rawValue) }
        sizeMaximum = isAnswer ? reply.header("tus-max-size").flatMap { Int64($0) } : nil
    }

    /// The algorithm with which the server checks parts; nil where it does not offer that.
    var checksum: TusChecksum? { extensions.contains("checksum") ? checksums.first : nil }

    var concatenates: Bool { extensions.contains("concatenation") }

    /// - Throws: `rejected` for a job that the server announces not to take.
    func check(_ job: UploadJob, at place: String) throws(UploadError) {
        guard versions.isEmpty || versions.contains(Self.version) else {
            throw UploadError(
                .rejected,
                "\(place) speaks tus \(versions.joined(separator: ", ")), not \(Self.version): use another driver or server"
            )
        }
        if let sizeMaximum, job.size > sizeMaximum {
            throw UploadError(
                .rejected,
                "\(place) takes files of at most \(sizeMaximum) bytes, this one has \(job.size): raise the server's limit"
            )
        }
    }
}
