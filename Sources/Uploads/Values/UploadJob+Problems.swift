public import Foundation

// Checks by which a producer refuses a job before it is published.
extension UploadJob {
    /// The most characters (code points) of a batch's name and of an idempotency key.
    public static let labelCharactersMaximum = 255
    /// The longest delay of a start, in seconds: 30 days. Staged copies and fences are kept for longer than that.
    public static let delaySecondsMaximum: TimeInterval = 30 * 86_400

    /// Why a text is no name of a batch and no idempotency key; nil if it is one.
    public static func problem(label text: String) -> String? {
        let hasControl = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !text.isEmpty, text.unicodeScalars.count <= labelCharactersMaximum, !hasControl else {
            return "expected 1 to \(labelCharactersMaximum) characters, and no control characters"
        }
        return nil
    }

    /// The problem of the two times of a job together; nil if there is none.
    public static func problem(notBefore: Date?, expiresAt: Date?, now: Date) -> String? {
        if let notBefore, notBefore > now + delaySecondsMaximum {
            return "it would start at \(WireJSON.timestamp(notBefore)): an upload can be put off by 30d at most"
        }
        guard let expiresAt else { return nil }
        if let notBefore, expiresAt <= notBefore {
            return """
                it would expire at \(WireJSON.timestamp(expiresAt)), before it starts at \
                \(WireJSON.timestamp(notBefore)): let it expire later, or start earlier
                """
        }
        return expiresAt <= now ? "it would have expired already, at \(WireJSON.timestamp(expiresAt))" : nil
    }

    /// Everything for which a program refuses to enqueue the job.
    /// - Parameter destinations: the configured ones; nil where they are not known.
    public func problems(now: Date, among destinations: Set<DestinationName>?) -> [JobProblem] {
        var problems: [JobProblem] = []
        func note(_ field: String, _ problem: String?) {
            if let problem { problems.append(JobProblem(field, problem)) }
        }
        note("priority", priority == .continued ? "'continued' is for batons; use urgent, normal or bulk" : nil)
        problems += source.problems(size: size, among: destinations)
        problems += destination.problems(at: "destination", among: destinations)
        note("verify", verify ? destination.readBackProblem : nil)
        note("contentType", ContentType.problem(contentType))
        for text in properties.problems { note("properties", text) }
        for text in ObjectProperties.problems(metadata: metadata) { note("metadata", text) }
        note("digests/sha256", digests.sha256.flatMap { Self.problem(digest: $0, digits: 64) })
        note("digests/crc64nvme", digests.crc64nvme.flatMap { Self.problem(digest: $0, digits: 16) })
        note("batch", batch.flatMap(Self.problem(label:)))
        note("idempotencyKey", idempotencyKey.flatMap(Self.problem(label:)))
        if let client, (try? QueueName(client)) == nil {
            note("client", "use 1 to 64 of the characters a-z, 0-9, '_' and '-'")
        }
        note(
            expiresAt == nil ? "notBefore" : "expiresAt",
            Self.problem(notBefore: notBefore, expiresAt: expiresAt, now: now))
        if serial != nil, id != id.inLine(of: queue) {
            note(
                "id",
                "an id of the serial line of '\(queue)' ends in the digit \(queue.lineDigit); leave it out, or change it"
            )
        }
        return problems
    }

    private static func problem(digest: String, digits: Int) -> String? {
        let isDigest = digest.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
            default: false
            }
        }
        return isDigest && digest.utf8.count == digits ? nil : "expected \(digits) lower-case hexadecimal digits"
    }
}

extension UploadJob {
    /// Whether the job is for something else than the one that used its idempotency key first: for other bytes, or
    /// another place. The first one holds.
    public func isOther(than first: UploadJob) -> Bool {
        (isExamined && size != first.size) || digests.contradicts(first.digests)
            || destination.redacted != (first.renamedFrom ?? first.destination).redacted || origin != first.origin
    }

    /// The place of the object to be carried, without secrets; nil for other sources.
    package var origin: DestinationReference? {
        if case .object(let origin, _) = source { origin.redacted } else { nil }
    }
}

extension SourceReference {
    /// - Parameter size: the job's.
    fileprivate func problems(size: Int64, among names: Set<DestinationName>?) -> [JobProblem] {
        switch self {
        case .staged: return []
        case .inline(let data):
            guard data.count != size else { return [] }
            return [JobProblem("size", "it says \(size) bytes, the inline data has \(data.count)")]
        case .file(let path, _):
            guard path.isAbsolute, !path.bytes.contains(0), path.bytes.count <= FilePath.bytesMaximum else {
                return [
                    JobProblem(
                        "source/path",
                        "expected an absolute path of at most \(FilePath.bytesMaximum) bytes, without NUL")
                ]
            }
            return []
        case .object(let reference, _): return reference.problems(at: "source/from", among: names, isSource: true)
        }
    }
}
