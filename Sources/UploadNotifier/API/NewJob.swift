import Crypto
import Foundation
import Uploads

/// A job as a request brings it: checked like every job that a program enqueues, and completed by what the request left
/// out.
struct NewJob: Hashable, Sendable {
    /// What an earlier job under the same id or key means for the request.
    enum Verdict: Hashable, Sendable {
        /// The earlier job is the one that the request asks for.
        case same
        /// The earlier job is for something else.
        case other
        /// The ledger has forgotten what the earlier job was for.
        case forgotten
    }

    let job: UploadJob
    /// Whether an earlier request may have enqueued the job.
    let maybeRepeated: Bool

    /// - Parameters:
    ///   - object: an `upload.job.v1`, in which `id`, `enqueuedAt` and the `size` of inline data may be missing.
    ///   - key: the idempotency key of the request's header.
    ///   - destinations: the configured ones; nil where they are not known.
    ///   - keyedID: the id of every job under a key.
    init(
        _ object: [String: JSONValue], key: String?, at time: Date, among destinations: Set<DestinationName>?,
        keyedID: (String, QueueName) -> JobID
    ) throws(DefinitionProblems) {
        try Self.checkFields(object)
        var object = object
        let given = object["idempotencyKey"]
        if let key {
            guard given == nil || given == .string(key) else {
                throw DefinitionProblems(
                    "idempotencyKey", "differs from the header \(IdempotencyKey.header); send one of them")
            }
            object["idempotencyKey"] = .string(key)
        }
        maybeRepeated = object["id"] != nil || object["idempotencyKey"] != nil
        let id = try Self.id(of: object, at: time, keyedID)
        object["id"] = .string(id.rawValue)
        object["enqueuedAt"] = object["enqueuedAt"] ?? .string(WireJSON.timestamp(time))
        if object["size"] == nil, object["source"]?["kind"] != "file" {
            let data = object["source"]?["data"]?.string.flatMap { Data(base64Encoded: $0) }
            object["size"] = .integer(Int64(data?.count ?? 0))
        }
        var job = try Self.job(object)
        let problems = job.problems(now: time, among: destinations)
        guard problems.isEmpty else {
            throw DefinitionProblems(problems.map { FieldProblem(field: $0.field, detail: $0.detail) })
        }
        try Self.addDigests(&job)
        self.job = job
    }

    /// Compares the request with the job that came first under its id.
    func verdict(on first: LedgerJob) -> Verdict {
        guard first.forgottenAt == nil else { return .forgotten }
        return agrees(with: first.baton.job) ? .same : .other
    }

    // MARK: Reading

    /// The fields of each object in a job. Those that only workers set (`renamedFrom`, `seen`) are not among them.
    private static let fields: [String: Set<String>] = [
        "": [
            "id", "queue", "priority", "source", "destination", "contentType", "size", "digests", "metadata",
            "properties", "ifExists", "batch", "client", "idempotencyKey", "retry", "serial", "verify", "notBefore",
            "expiresAt", "enqueuedAt",
        ],
        "digests": ["sha256", "crc64nvme"],
        "properties": [
            "cacheControl", "contentDisposition", "contentEncoding", "contentLanguage", "storageClass", "tags",
        ],
        "retry": ["maxAttempts", "maxAge", "base", "factor", "cap"],
        "serial": ["index", "after"],
    ]
    private static let sourceFields: [String: Set<String>] = [
        "inline": ["kind", "data"],
        "file": ["kind", "path", "pathBytes", "modifiedAt", "inode", "fileSystem"],
        "object": ["kind", "from"],
    ]

    /// Refuses fields that are not known, because a mistyped one would be ignored, and null.
    private static func checkFields(_ object: [String: JSONValue]) throws(DefinitionProblems) {
        try check(object, fields[""] ?? [], at: "")
        for (name, known) in fields.sorted(by: { $0.key < $1.key }) {
            if case .object(let inner)? = object[name] { try check(inner, known, at: name + "/") }
        }
        if case .object(let source)? = object["source"] {
            let kind = source["kind"]?.string ?? ""
            guard kind != "staged" else {
                throw DefinitionProblems(
                    "source/kind",
                    "only a program with the staging area (enqueue-upload, UploadClient) makes a staged copy; send up to "
                        + "\(SourceReference.inlineBytesMaximum) bytes inline, or name a file in place, an object or a URL"
                )
            }
            guard let known = sourceFields[kind] else {
                throw DefinitionProblems("source/kind", "expected inline, file or object")
            }
            try check(source, known, at: "source/")
            if case .object(let from)? = source["from"] { try checkPlace(from, at: "source/from/") }
        }
        if case .object(let destination)? = object["destination"] { try checkPlace(destination, at: "destination/") }
        for case (let name, .object(let texts)?) in [
            ("metadata", object["metadata"]), ("properties/tags", object["properties"]?["tags"]),
        ] {
            try check(texts, Set(texts.keys), at: name + "/")
        }
    }

    private static func checkPlace(_ place: [String: JSONValue], at path: String) throws(DefinitionProblems) {
        try check(place, place["url"] == nil ? ["name", "key"] : ["url"], at: path)
    }

    private static func check(
        _ object: [String: JSONValue], _ known: Set<String>, at path: String
    ) throws(DefinitionProblems) {
        var problems: [FieldProblem] = []
        for (name, value) in object.sorted(by: { $0.key < $1.key }) {
            let field = path + String(name.prefix(64))
            if !known.contains(name) {
                let list = known.sorted().joined(separator: ", ")
                problems.append(FieldProblem(field: field, detail: "is no field here; there are \(list)"))
            } else if value == .null {
                problems.append(FieldProblem(field: field, detail: "is null; leave it out"))
            }
        }
        guard problems.isEmpty else { throw DefinitionProblems(problems) }
    }

    private static func id(
        of object: [String: JSONValue], at time: Date, _ keyedID: (String, QueueName) -> JobID
    ) throws(DefinitionProblems) -> JobID {
        // A queue, key or id that is none is refused when the job is read.
        let queue = object["queue"]?.string.flatMap { try? QueueName($0) } ?? .standard
        let made = object["idempotencyKey"]?.string.map { keyedID($0, queue) }
        var id = made ?? JobID(now: time)
        if object["serial"] != nil { id = id.inLine(of: queue) }
        guard let given = object["id"] else { return id }
        guard let chosen = given.string.flatMap({ JobID($0) }) else {
            throw DefinitionProblems("id", "expected a UUID such as 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90")
        }
        guard made == nil || chosen == id else {
            throw DefinitionProblems("id", "jobs under this idempotency key have the id \(id); leave the field out")
        }
        return chosen
    }

    private static func job(_ object: [String: JSONValue]) throws(DefinitionProblems) -> UploadJob {
        do {
            return try WireJSON.decode(UploadJob.self, from: try WireJSON.encode(JSONValue.object(object)))
        } catch let error as DecodingError {
            throw DefinitionProblems([error.problem])
        } catch {
            throw DefinitionProblems("", "the job cannot be read")
        }
    }

    /// Adds the checksum of inline data, as every producer does, and checks the digests that the request names.
    private static func addDigests(_ job: inout UploadJob) throws(DefinitionProblems) {
        guard case .inline(let data) = job.source else { return }
        let crc = CRC64NVME(of: data).hexadecimal
        guard job.digests.crc64nvme == nil || job.digests.crc64nvme == crc else {
            throw DefinitionProblems("digests/crc64nvme", "the inline data has \(crc)")
        }
        let sha = job.digests.sha256 == nil ? nil : Hexadecimal.text(of: SHA256.hash(data: data))
        guard job.digests.sha256 == sha else {
            throw DefinitionProblems("digests/sha256", "the inline data has \(sha ?? "another one")")
        }
        job.digests.crc64nvme = crc
    }

    // MARK: Comparing

    private func agrees(with first: UploadJob) -> Bool {
        guard !job.isOther(than: first), let terms = terms(of: job), terms == self.terms(of: first) else {
            return false
        }
        guard case .file(let path, let identity) = job.source,
            case .file(let firstPath, let firstIdentity) = first.source
        else { return true }
        return job.digests.confirms(first.digests) || (path == firstPath && identity.agrees(with: firstIdentity))
    }

    /// Everything that a request may ask for, besides the bytes and their place.
    private func terms(of other: UploadJob) -> JSONValue? {
        guard let bytes = try? WireJSON.encode(other),
            case .object(var fields)? = try? WireJSON.decode(JSONValue.self, from: bytes)
        else { return nil }
        for name in ["id", "enqueuedAt", "source", "size", "digests", "destination", "renamedFrom"] {
            fields[name] = nil
        }
        // A worker gives a job without a type that of its source object.
        if job.contentType == ContentType.unknown { fields["contentType"] = nil }
        return .object(fields)
    }
}
