import Foundation
import UploadNotifier
import Uploads

/// Typed values. ``Settings/init(_:)`` has checked them all, so that a value of the wrong kind cannot occur here.
extension Settings {
    func text(_ path: String) -> String? { values[path]?.value.items.first }

    func list(_ path: String) -> [String] { values[path]?.value.items ?? [] }

    func integer(_ path: String) -> Int? { text(path).flatMap { Int($0) } }

    /// Seconds of a worker's slice: at most a third of `consumerTimeout`, and exactly that where the default would be more. The parts under way
    /// at the slice's end get another third.
    /// - Throws: `configuration` where the user set a longer slice.
    func slice(within consumerTimeout: TimeInterval) throws(ProgramError) -> TimeInterval {
        let slice = seconds("worker.slice") ?? 300
        let maximum = consumerTimeout / 3
        guard slice > maximum else { return slice }
        guard values["worker.slice"]?.origin == .standard else {
            throw ProgramError(
                .configuration,
                "\(place("worker.slice")): is more than a third of consumerTimeout, within which a job has to be handed over; give "
                    + "\(Quantity.text(seconds: maximum.rounded(.down))) at most")
        }
        return maximum
    }

    func seconds(_ path: String) -> TimeInterval? { text(path).flatMap(Quantity.seconds) }

    /// How long the ledger keeps records; a key that is left out has its usual value.
    var retention: LedgerRetention {
        let usual = LedgerRetention()
        return LedgerRetention(
            jobs: seconds("notifier.keep.jobs") ?? usual.jobs, names: seconds("notifier.keep.names") ?? usual.names,
            deliveries: seconds("notifier.keep.deliveries") ?? usual.deliveries,
            deadLetters: seconds("notifier.keep.deadLetters"),
            audit: seconds("notifier.keep.audit") ?? usual.audit)
    }

    func bytes(_ path: String) -> Int64? { text(path).flatMap(Quantity.bytes) }

    func secret(_ path: String) -> Secret? { secrets(path).first }

    func secrets(_ path: String) -> [Secret] {
        list(path).map { text in
            guard case .file(let file) = Secret(text) else { return Secret(text) }
            return .file(path: resolved(file, at: path))
        }
    }

    func address(_ path: String) -> HTTPAddress { text(path).flatMap { HTTPAddress($0) } ?? .off }

    /// An absolute path: relative paths in the file begin at the file's folder, all others at the working directory.
    func path(_ path: String) -> String? { text(path).map { resolved($0, at: path) } }

    /// A URL as it stands, if the key may have one and its value is one; else a path.
    func pathOrURL(_ path: String) -> String? {
        guard case .pathOrURL(let schemes) = ConfigurationKey.find(path.split(separator: ".").map(String.init))?.kind,
            let text = text(path), ValueKind.url(schemes: schemes).accepts(text)
        else { return self.path(path) }
        return text
    }

    /// Where files are staged.
    var staging: StagingPlace {
        StagingPlace(text("staging") ?? "", path: path("staging") ?? "") ?? .none
    }

    /// The path of the directory with this host's outbox and idempotency keys.
    /// - Throws: `configuration` for one beside a staging area that is a directory: the programs that share the area share its outbox.
    func spool() throws(ProgramError) -> String {
        guard let directory = staging.directory else { return path("spool") ?? "" }
        guard isStandard("spool") else {
            throw ProgramError(
                .configuration,
                "\(place("spool")): the staging area \(directory) holds the outbox and the idempotency keys; leave spool out, or set "
                    + "staging: \(StagingPlace.word)")
        }
        return directory
    }

    func paths(_ path: String) -> [String] { list(path).map { resolved($0, at: path) } }

    /// A key with its value's origin, for errors: `upload.yaml:7: destinations.photos.path`.
    func place(_ path: String) -> String { values[path].map { "\($0.origin): \(path)" } ?? path }

    /// The names below a section: of destinations, of delegates.
    func names(in section: String) -> [String] {
        Set(
            values.keys.compactMap { path -> String? in
                let parts = path.split(separator: ".")
                return parts.count > 2 && parts[0] == section ? String(parts[1]) : nil
            }
        ).sorted()
    }

    private func resolved(_ text: String, at path: String) -> String {
        guard !text.hasPrefix("/") else { return text }
        var base = directory
        if case .file(let file, _) = values[path]?.origin {
            let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            base = file.hasPrefix("/") ? folder : folder.isEmpty ? directory : "\(directory)/\(folder)"
        }
        return "\(base)/\(text)"
    }
}
