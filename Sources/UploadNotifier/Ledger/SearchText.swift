import Foundation
import Uploads

/// The text by which a job is found. Both the stored text and the searched text are folded, so that upper case and composed characters
/// make no difference.
enum SearchText {
    /// The most Unicode scalars of a job that are indexed. Each costs an entry.
    static let countMaximum = 600
    /// The most Unicode scalars of an error that are indexed: the error comes last and is the only part that changes.
    static let errorCountMaximum = 200

    static func of(_ job: LedgerJob) -> String {
        guard job.forgottenAt == nil else { return "" }
        let order = job.baton.job
        var parts: [String] = []
        switch order.source {
        case .staged(_, let name): parts.append(name)
        case .file(let path, _): parts.append(path.description)
        case .inline: break
        case .object(let origin, _): parts.append(name(origin))
        }
        parts.append(name(order.destination))
        parts += order.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        parts += [order.batch, order.idempotencyKey].compactMap { $0 }
        let message = message(of: job)
        let named = cut(parts.joined(separator: "\n"), countMaximum - errorCountMaximum)
        guard let message else { return fold(named) }
        return fold(named + "\n" + cut(message, errorCountMaximum))
    }

    /// Whether two states of a job surely have the same text. Comparing is cheaper than making both texts.
    static func isSame(of before: LedgerJob, _ job: LedgerJob) -> Bool {
        before.baton.hasJob(of: job.baton) && before.forgottenAt == job.forgottenAt
            && message(of: before) == message(of: job)
    }

    private static func message(of job: LedgerJob) -> String? {
        job.end == nil ? job.baton.failures.last?.message : job.end?.error?.message
    }

    private static func name(_ reference: DestinationReference) -> String {
        switch reference.redacted {
        case .named(_, let key): key
        case .url(let url): url
        }
    }

    static func fold(_ text: String) -> String {
        let folded = text.lowercased()
        // SQLite's text functions end at a NUL.
        if folded.utf8.allSatisfy({ $0 < 0x80 && $0 != 0 }) { return folded }
        return folded.replacing("\0", with: " ").precomposedStringWithCanonicalMapping
    }

    private static func cut(_ text: String, _ count: Int) -> String {
        text.utf8.count <= count ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(count)))
    }
}
