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
        if entry.path == "-", place.isEmpty {
            addStandardInput()
            return
        }
        let elsewhere: PlannedSource?
        do throws(ProgramError) {
            elsewhere = try PlannedSource(elsewhere: entry.path, from: request.from)
        } catch {
            problems.append(ProgramError(error.exitCode, problems: error.problems.map { place + $0 }))
            return
        }
        let tree = elsewhere == nil ? FileTree(entry.path) : nil
        problems += (tree?.problems ?? []).map { ProgramError($0.exitCode, problems: $0.problems.map { place + $0 }) }
        notes += (tree?.skipped ?? []).map { "skipped \($0)" }
        let isDirectory = tree != nil && FileTree.status(entry.path)?.isDirectory ?? false
        if isDirectory, !request.destination.takesMany {
            problems.append(Self.needsPrefix("a directory"))
            return
        }
        if isDirectory, entry.key != nil {
            problems.append(
                ProgramError(.badInput, "\(place)\(entry.path): a directory takes no 'key'; its files have their own"))
            return
        }
        if let tree, isDirectory, tree.files.isEmpty, tree.problems.isEmpty {
            notes.append("\(entry.path): no files in it")
        }
        let metadata = request.metadata.merging(entry.metadata) { $1 }
        let properties = entry.properties.merging(over: request.properties)
        if entry.saysMore {
            // What the command line says alone was checked once for all.
            let wrong = Self.problems(contentType: entry.contentType, properties, metadata: metadata)
            if !wrong.isEmpty {
                problems.append(ProgramError(.badInput, problems: wrong.map { "\(place)\(entry.path): \($0)" }))
            }
        }
        let verify = entry.verify ?? request.verify
        if verify, entry.verify != nil, let problem = Self.readBackProblem(of: request.destination.reference) {
            problems.append(ProgramError(.badInput, "\(place)\(entry.path): verify: \(problem)"))
        }
        let schedule = EnqueueSchedule(
            notBefore: entry.schedule.notBefore ?? request.schedule.notBefore,
            expiresAt: entry.schedule.expiresAt ?? request.schedule.expiresAt)
        let labels =
            schedule.problem(now: now).map { [$0] } ?? []
            + Self.problems(batch: entry.batch, idempotencyKey: entry.idempotencyKey)
        if !labels.isEmpty {
            problems.append(ProgramError(.badInput, problems: labels.map { "\(place)\(entry.path): \($0)" }))
        }
        if entry.idempotencyKey != nil, isDirectory {
            problems.append(
                ProgramError(
                    .badInput, "\(place)\(entry.path): a directory takes no 'idempotencyKey'; it names one upload"))
        }
        for file in elsewhere.map({ [$0] }) ?? tree?.files.map(PlannedSource.init) ?? [] {
            let key = entry.key ?? file.key
            if key.isEmpty, request.destination.isPrefix {
                problems.append(
                    ProgramError(
                        .usage, "\(place)\(file.path): it has no name; give --to a full key, as in photos:cat.jpg"))
                continue
            }
            if elsewhere != nil, request.destination.needsDigest {
                problems.append(
                    ProgramError(
                        .usage,
                        "\(place)\(file.path): --to names {sha256}, which nobody knows of what lies elsewhere; leave it out"
                    ))
                continue
            }
            guard let destination = destination(of: file, key, metadata, place: place) else { continue }
            uploads.append(
                PlannedUpload(
                    path: file.path, content: file.content,
                    place: destination,
                    size: file.size, modifiedAt: file.modifiedAt,
                    contentType: entry.contentType ?? request.contentType ?? file.contentType,
                    metadata: metadata, properties: properties,
                    ifExists: entry.ifExists ?? request.ifExists, verify: verify, schedule: schedule,
                    batch: entry.batch ?? request.batch, idempotencyKey: entry.idempotencyKey ?? request.idempotencyKey)
            )
        }
    }

    /// - Returns: nil when there is a problem with it, which is noted.
    private mutating func destination(
        of file: PlannedSource, _ key: String, _ metadata: [String: String], place: String
    ) -> PlannedPlace? {
        let found: PlannedPlace
        do throws(UploadError) {
            found = try request.destination.place(of: key, metadata: metadata, day: day)
        } catch {
            problems.append(ProgramError(.usage, "\(place)\(file.path): \(error.message)"))
            return nil
        }
        // Of a URL it is what the file adds to it.
        let whole = if case .named(_, let whole) = found.reference { whole } else { key }
        if let problem = DestinationArgument.problem(key: whole) {
            problems.append(ProgramError(.badInput, "\(place)\(file.path): key '\(whole)': \(problem)"))
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
        var paths: [String: String] = [:]
        for upload in uploads {
            guard let key = upload.idempotencyKey, let other = paths.updateValue(upload.path, forKey: key) else {
                continue
            }
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
