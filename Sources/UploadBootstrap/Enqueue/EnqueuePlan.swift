import Foundation
import Uploads

/// Which files go where: everything that can be said before anything is staged or published. All inputs are checked
/// first, so that a mistake in the last one enqueues nothing.
struct EnqueuePlan {
    /// Most problems that are told at once.
    static let problemsMaximum = 20
    /// Most bytes of a batch's name and of an idempotency key.
    static let labelBytesMaximum = 255

    private(set) var uploads: [PlannedUpload] = []
    /// What was left out, and why.
    private(set) var notes: [String] = []
    private var problems: [ProgramError] = []
    private let request: EnqueueRequest
    private let now: Date

    /// - Parameters:
    ///   - manifest: the text of the manifest, where the request names one.
    ///   - destinations: the names that the configuration knows; nil if it does not speak of destinations.
    /// - Throws: the first problem's exit status with all problems; nothing has happened then.
    init(
        _ request: EnqueueRequest, manifest: String? = nil, destinations: Set<DestinationName>? = nil,
        now: Date = Date()
    ) throws(ProgramError) {
        self.request = request
        self.now = now
        try Self.check(request)
        try Self.check(request.destination.name, among: destinations)
        try Self.check(request.from, among: destinations)
        let name = request.manifest == "-" ? "standard input" : request.manifest ?? ""
        let entries = try manifest.map { text throws(ProgramError) in try ManifestEntry.parse(text, name: name) } ?? []
        if !request.destination.takesMany, request.manifest != nil || request.paths.count > 1 {
            throw Self.needsPrefix(request.manifest == nil ? "several files" : "a manifest")
        }
        for path in request.paths { add(ManifestEntry(path: path, line: 0), place: "") }
        for entry in entries { add(entry, place: "\(name):\(entry.line): ") }
        checkKeys()
        checkIdempotencyKeys()
        if let first = problems.first {
            var lines = problems.prefix(Self.problemsMaximum).flatMap(\.problems)
            if problems.count > lines.count {
                lines.append("and \(problems.count - lines.count) more problems like these")
            }
            throw ProgramError(first.exitCode, problems: lines)
        }
    }

    private mutating func add(_ entry: ManifestEntry, place: String) {
        if entry.path == "-", place.isEmpty { return addStandardInput() }
        guard let sources = sources(of: entry, place) else { return }
        let wishes = wishes(of: entry, place)
        for source in sources { add(source, entry, wishes, place) }
    }

    /// What an entry's path stands for: a file, the files of a directory, a URL, a key at a destination.
    /// - Returns: nil when nothing of it can be planned; why is noted, as is what is left out.
    private mutating func sources(of entry: ManifestEntry, _ place: String) -> [PlannedSource]? {
        do throws(ProgramError) {
            if let elsewhere = try PlannedSource(elsewhere: entry.path, from: request.from) { return [elsewhere] }
        } catch {
            problems.append(ProgramError(error.exitCode, problems: error.problems.map { place + $0 }))
            return nil
        }
        let tree = FileTree(entry.path)
        problems += tree.problems.map { ProgramError($0.exitCode, problems: $0.problems.map { place + $0 }) }
        notes += tree.skipped.map { "skipped \($0)" }
        if FileTree.status(entry.path)?.isDirectory == true {
            guard request.destination.takesMany else {
                problems.append(Self.needsPrefix("a directory"))
                return nil
            }
            guard entry.key == nil else {
                note(.badInput, entry.path, place, "a directory takes no 'key'; its files have their own")
                return nil
            }
            if entry.idempotencyKey != nil {
                note(.badInput, entry.path, place, "a directory takes no 'idempotencyKey'; it names one upload")
            }
            if tree.files.isEmpty, tree.problems.isEmpty { notes.append("\(entry.path): no files in it") }
        }
        return tree.files.map(PlannedSource.init)
    }

    /// What an entry says of all its files, over what the command line says.
    private struct Wishes {
        let metadata: [String: String]
        let properties: ObjectProperties
        let verify: Bool
        let schedule: EnqueueSchedule
    }

    private mutating func wishes(of entry: ManifestEntry, _ place: String) -> Wishes {
        let wishes = Wishes(
            metadata: request.metadata.merging(entry.metadata) { $1 },
            properties: entry.properties.merging(over: request.properties), verify: entry.verify ?? request.verify,
            schedule: EnqueueSchedule(
                notBefore: entry.schedule.notBefore ?? request.schedule.notBefore,
                expiresAt: entry.schedule.expiresAt ?? request.schedule.expiresAt))
        if entry.saysMore {
            // What the command line says alone was checked once for all.
            note(
                .badInput, entry.path, place,
                Self.problems(contentType: entry.contentType, wishes.properties, metadata: wishes.metadata))
        }
        if entry.verify == true, let problem = Self.readBackProblem(of: request.destination.reference) {
            note(.badInput, entry.path, place, "verify: \(problem)")
        }
        let times = wishes.schedule.problem(now: now).map { [$0] } ?? []
        note(
            .badInput, entry.path, place,
            times + Self.problems(batch: entry.batch, idempotencyKey: entry.idempotencyKey))
        return wishes
    }

    private mutating func add(
        _ source: PlannedSource, _ entry: ManifestEntry, _ wishes: Wishes, _ place: String
    ) {
        let key = entry.key ?? source.key
        if key.isEmpty, request.destination.isPrefix {
            return note(.usage, source.path, place, "it has no name; give --to a full key, as in photos:cat.jpg")
        }
        if case .object = source.content, request.destination.needsDigest {
            return note(
                .usage, source.path, place,
                "--to names {sha256}, which nobody knows of what lies elsewhere; leave it out")
        }
        guard let destination = destination(of: source, key, wishes.metadata, place: place) else { return }
        uploads.append(
            PlannedUpload(
                path: source.path, content: source.content, place: destination, size: source.size,
                modifiedAt: source.modifiedAt,
                contentType: entry.contentType ?? request.contentType ?? source.contentType,
                metadata: wishes.metadata, properties: wishes.properties,
                ifExists: entry.ifExists ?? request.ifExists, verify: wishes.verify, schedule: wishes.schedule,
                batch: entry.batch ?? request.batch, idempotencyKey: entry.idempotencyKey ?? request.idempotencyKey))
    }

    private mutating func note(_ code: ExitCode, _ path: String, _ place: String, _ problems: String...) {
        note(code, path, place, problems)
    }

    private mutating func note(_ code: ExitCode, _ path: String, _ place: String, _ problems: [String]) {
        guard !problems.isEmpty else { return }
        self.problems.append(ProgramError(code, problems: problems.map { "\(place)\(path): \($0)" }))
    }

    /// - Returns: nil when there is a problem with it, which is noted.
    private mutating func destination(
        of file: PlannedSource, _ key: String, _ metadata: [String: String], place: String
    ) -> PlannedPlace? {
        let found: PlannedPlace
        do throws(UploadError) {
            found = try request.destination.place(of: key, metadata: metadata, day: day)
        } catch {
            note(.usage, file.path, place, error.message)
            return nil
        }
        // Of a URL it is what the file adds to it.
        let whole = if case .named(_, let whole) = found.reference { whole } else { key }
        if let problem = DestinationArgument.problem(key: whole) {
            note(.badInput, file.path, place, "key '\(whole)': \(problem)")
        }
        return found
    }

    private var day: String { String(WireJSON.timestamp(now).prefix(10)) }

    private mutating func addStandardInput() {
        let place: PlannedPlace
        do throws(UploadError) {
            place = try request.destination.place(of: "", metadata: request.metadata, day: day)
        } catch {
            problems.append(ProgramError(.usage, "-: \(error.message)"))
            return
        }
        uploads.append(
            PlannedUpload(
                path: "-", content: .standardInput, place: place, size: nil,
                modifiedAt: nil,
                contentType: request.contentType ?? ContentType.of(name: place.reference.displayText),
                metadata: request.metadata, properties: request.properties, ifExists: request.ifExists,
                verify: request.verify,
                schedule: request.schedule, batch: request.batch, idempotencyKey: request.idempotencyKey))
    }

    /// Two files under one key would overwrite each other.
    private mutating func checkKeys() {
        var paths: [DestinationReference: String] = [:]
        for upload in uploads {
            // The same bytes under one key are one object.
            guard case .known = upload.place else { continue }
            if let other = paths.updateValue(upload.path, forKey: upload.destination) {
                problems.append(
                    ProgramError(
                        .badInput,
                        """
                        \(other) and \(upload.path): both would be \(upload.destination.displayText); enqueue them under \
                        different prefixes, or leave one out
                        """))
            }
        }
    }

    /// Two uploads under one idempotency key would be one.
    private mutating func checkIdempotencyKeys() {
        if request.idempotencyKey != nil, uploads.count > 1 {
            problems.append(
                ProgramError(
                    .usage,
                    "--idempotency-key names one upload, these are \(uploads.count): give each its own in a manifest"))
            return
        }
        var paths: [ExactText: String] = [:]
        for upload in uploads {
            guard let key = upload.idempotencyKey,
                let other = paths.updateValue(upload.path, forKey: ExactText(key))
            else { continue }
            problems.append(
                ProgramError(.badInput, "\(other) and \(upload.path): both have the idempotency key '\(key)'"))
        }
    }

    private static func problems(batch: String?, idempotencyKey: String?) -> [String] {
        [("batch", batch), ("idempotencyKey", idempotencyKey)].compactMap { name, text in
            guard let text else { return nil }
            let isClean = text.unicodeScalars.allSatisfy { !CharacterSet.controlCharacters.contains($0) }
            guard !text.isEmpty, text.utf8.count <= Self.labelBytesMaximum, isClean else {
                return "\(name): expected 1 to \(Self.labelBytesMaximum) bytes of text without control characters"
            }
            return nil
        }
    }

    private static func problems(
        contentType: String?, _ properties: ObjectProperties, metadata: [String: String]
    ) -> [String] {
        let type = contentType.flatMap(ObjectProperties.problem(headerValue:)).map { ["contentType: \($0)"] } ?? []
        return type + properties.problems + ObjectProperties.problems(metadata: metadata)
    }

    private static func check(_ request: EnqueueRequest) throws(ProgramError) {
        let wrong = problems(
            contentType: request.contentType, request.properties, metadata: request.metadata)
        let labels = problems(batch: request.batch, idempotencyKey: request.idempotencyKey)
        if !(wrong + labels).isEmpty { throw ProgramError(.usage, problems: wrong + labels) }
        if request.from != nil, !request.stages {
            throw ProgramError(.usage, "--no-stage: nothing is staged of what lies at --from; leave it out")
        }
        if request.verify, let problem = readBackProblem(of: request.destination.reference) {
            throw ProgramError(.usage, "--verify: \(problem)")
        }
        if request.paths.isEmpty, request.manifest == nil {
            throw ProgramError(.usage, "nothing to upload: name a PATH, '-' for standard input, or a --manifest")
        }
        guard request.paths.contains("-") else { return }
        if request.paths.count > 1 || request.manifest != nil {
            throw ProgramError(.usage, "'-': standard input is uploaded alone; a file of this name is './-'")
        }
        if request.destination.isPrefix {
            throw ProgramError(.usage, "'-': standard input has no name; give --to a full key, as in photos:cat.jpg")
        }
        if !request.stages {
            throw ProgramError(.usage, "'-': standard input must be staged; leave out --no-stage")
        }
        if request.from != nil {
            throw ProgramError(.usage, "'-': with --from a PATH is a key; leave out one of them")
        }
    }

    /// Known before anything is sent: what cannot be read back must not be uploaded to be verified.
    private static func readBackProblem(of destination: DestinationReference) -> String? {
        guard case .url(let url) = destination, url.contains("?") else { return nil }
        return "a pre-signed URL is good for one method, so that what it stores cannot be read back; leave it out"
    }

    private static func check(_ name: DestinationName?, among names: Set<DestinationName>?) throws(ProgramError) {
        guard let name, let names, !names.contains(name) else { return }
        let all = names.map(\.rawValue).sorted()
        let hint = EditDistance.nearest(to: name.rawValue, among: all).map { "did you mean '\($0)'?" }
        let known = all.isEmpty ? "none is configured" : "configured are: " + all.joined(separator: ", ")
        throw ProgramError(
            .configuration, "destination '\(name)': the configuration has none of this name; \(hint ?? known)")
    }

    private static func needsPrefix(_ what: String) -> ProgramError {
        ProgramError(
            .usage,
            "\(what): the destination must be a prefix that ends in '/' or ':', as in photos: or photos:2026/, or have {name} "
                + "in its key")
    }
}
