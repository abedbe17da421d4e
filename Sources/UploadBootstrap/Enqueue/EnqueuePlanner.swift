import Foundation
import Uploads

/// Makes a plan from the sources that the command line and a manifest name. It checks all of them before anything is staged or published,
/// so that a mistake in the last one enqueues nothing.
///
/// The plan is in its file; in memory are only a count and the first problems.
struct EnqueuePlanner {
    /// The most problems that are reported at once.
    static let problemsMaximum = 20

    private let request: EnqueueRequest
    private let wishes: UploadWishes
    private let now: Date
    /// Whether there is a staging area.
    private let canStage: Bool
    /// Today, as in 2026-11-22.
    let day: String
    /// Holds the plan, and with `--changed` the objects at the destination, which are listed into it first.
    let file: PlanFile
    private var ids = SortedIDs()
    private var count = 0
    private var isStaged = false
    private var isKeyed = false
    private var exitCode: ExitCode?
    private var problems: [String] = []
    private var problemCount = 0
    /// The exit status of the first file that was skipped because of an error.
    private var skipped: ExitCode?
    private var skippedCount = 0

    /// - Parameters:
    ///   - destinations: the names in the configuration; nil if the configuration has no `destinations`.
    ///   - canStage: whether there is a staging area; without one, an upload that needs a copy is a problem.
    /// - Throws: the problem of the request as a whole.
    init(
        _ request: EnqueueRequest, destinations: Set<DestinationName>? = nil, canStage: Bool = true, now: Date = Date(),
        cacheBytes: Int = PlanFile.cacheBytes
    ) throws(ProgramError) {
        try Self.check(request)
        try Self.check(request.destination.name, among: destinations)
        try Self.check(request.from, among: destinations)
        if !request.destination.takesMany, request.manifest != nil || request.paths.count > 1 {
            throw Self.needsPrefix(request.manifest == nil ? "several files" : "a manifest")
        }
        self.request = request
        self.now = now
        self.canStage = canStage
        wishes = request.wishes
        day = String(WireJSON.timestamp(now).prefix(10))
        file = try Self.kept { () throws(UploadError) in try PlanFile(cacheBytes: cacheBytes) }
    }

    /// Plans the paths of the command line.
    /// - Throws: `interrupted` when the task is cancelled; `inputOutput` when the plan's file cannot be written.
    mutating func addPaths() throws(ProgramError) {
        for path in request.paths { try add(ManifestEntry(path: path, line: 0), place: "") }
    }

    /// Plans a line of a manifest.
    /// - Parameters:
    ///   - number: the line's number, from 1.
    ///   - name: the manifest's name for messages.
    /// - Throws: as ``addPaths()`` does.
    mutating func add(line: some Collection<UInt8>, number: Int, of name: String) throws(ProgramError) {
        let entry: ManifestEntry?
        do throws(ProgramError) {
            entry = try ManifestEntry(line: line, number: number)
        } catch {
            return note(error, place: "\(name):\(number): ")
        }
        if let entry { try add(entry, place: "\(name):\(number): ") }
    }

    /// - Throws: an error with all problems and the exit status of the first one; nothing was staged or published then.
    func finish() throws(ProgramError) -> EnqueuePlan {
        if let exitCode {
            let more = problemCount - problems.count
            throw ProgramError(
                exitCode, problems: problems + (more > 0 ? ["and \(more) more problems like these"] : []))
        }
        return EnqueuePlan(
            request: request, count: count, isStaged: isStaged, isKeyed: isKeyed, day: day, file: file,
            skipped: skipped.map { code in
                let files = skippedCount == 1 ? "1 file" : "\(skippedCount) files"
                return ProgramError(
                    code, "\(files) could not be read and stayed out, as said above; the others are not concerned")
            })
    }

    private mutating func add(_ entry: ManifestEntry, place: String) throws(ProgramError) {
        if entry.path == "-", place.isEmpty { return try addStandardInput() }
        if entry.path.bytes.contains(0) { return note(.badInput, entry.path, place, "a path cannot contain a NUL") }
        let elsewhere: PlannedSource?
        do throws(ProgramError) {
            elsewhere = try PlannedSource(elsewhere: entry.path, from: request.from)
        } catch {
            return note(error, place: place)
        }
        if let elsewhere { return try add(elsewhere, entry, wishes(of: entry, place), place) }
        let isDirectory = FileTree.isDirectory(entry.path)
        if isDirectory {
            guard request.destination.takesMany else { return note(Self.needsPrefix("a directory"), place: "") }
            guard entry.key == nil else {
                return note(.badInput, entry.path, place, "a directory takes no 'key'; its files have their own")
            }
            if entry.idempotencyKey != nil {
                note(.badInput, entry.path, place, "a directory takes no 'idempotencyKey'; it names one upload")
            }
        }
        let wishes = try wishes(of: entry, place)
        let before = (count, problemCount)
        try FileTree.walk(entry.path, request.filter) { finding throws(ProgramError) in
            switch finding {
            case .file(let file): try add(PlannedSource(file), entry, wishes, place)
            case .skipped(let text): try note("skipped \(text)")
            case .problem(let problem) where isDirectory && request.skipsErrors:
                skipped = skipped ?? problem.exitCode
                skippedCount += 1
                for text in problem.problems { try note("skipped \(text)") }
            case .problem(let problem): note(problem, place: place)
            }
        }
        if isDirectory, before == (count, problemCount) {
            let chosen = request.filter.isEmpty ? "" : " that --include and --exclude leave"
            try note("\(entry.path): no files in it\(chosen)")
        }
    }

    /// The wishes for all files of an entry: those of the command line, overridden by those of the entry.
    private struct Wishes {
        let wishes: UploadWishes
        /// Their number in the plan's file.
        let number: Int64
    }

    private mutating func wishes(of entry: ManifestEntry, _ place: String) throws(ProgramError) -> Wishes {
        guard entry.saysAnything else { return Wishes(wishes: wishes, number: 0) }
        var said = wishes
        said.metadata.merge(entry.metadata) { $1 }
        said.properties = entry.properties.merging(over: request.properties)
        said.ifExists = entry.ifExists ?? request.ifExists
        said.verify = entry.verify ?? request.verify
        said.schedule = EnqueueSchedule(
            notBefore: entry.schedule.notBefore ?? request.schedule.notBefore,
            expiresAt: entry.schedule.expiresAt ?? request.schedule.expiresAt)
        said.batch = entry.batch ?? request.batch
        said.idempotencyKey = entry.idempotencyKey ?? request.idempotencyKey
        if entry.saysMore {
            // The command line's own fields were checked with the request.
            note(
                .badInput, entry.path, place,
                Self.problems(contentType: entry.contentType, said.properties, metadata: said.metadata))
        }
        if entry.verify == true, let problem = request.destination.reference.readBackProblem {
            note(.badInput, entry.path, place, "verify: \(problem)")
        }
        let times = said.schedule.problem(now: now).map { [$0] } ?? []
        note(
            .badInput, entry.path, place,
            times + Self.problems(batch: entry.batch, idempotencyKey: entry.idempotencyKey))
        if said == wishes { return Wishes(wishes: wishes, number: 0) }
        return Wishes(wishes: said, number: try Self.kept { () throws(UploadError) in try file.add(said) })
    }

    private mutating func add(
        _ source: PlannedSource, _ entry: ManifestEntry, _ wishes: Wishes, _ place: String
    ) throws(ProgramError) {
        if Task.isCancelled { throw ProgramError(.interrupted, "interrupted; nothing was enqueued") }
        let key = entry.key ?? source.key
        if key.isEmpty, request.destination.isPrefix {
            return note(.usage, source.path, place, "it has no name; give --to a full key, as in photos:cat.jpg")
        }
        if case .object = source.content, request.destination.needsDigest {
            return note(
                .usage, source.path, place,
                "--to names {sha256}, and the digest of an object that lies elsewhere is not known; leave it out")
        }
        let planned: PlannedUpload
        do throws(UploadError) {
            planned = PlannedUpload(
                id: ids.next(), path: source.path, content: source.content,
                place: try request.destination.place(of: key, metadata: wishes.wishes.metadata, day: day),
                size: source.size, contentType: entry.contentType ?? request.contentType ?? source.contentType,
                wishes: wishes.wishes)
        } catch {
            return note(.usage, source.path, place, error.message)
        }
        // For a URL this is the part that the file adds to it.
        let whole = if case .named(_, let whole) = planned.destination { whole } else { key }
        if let problem = DestinationReference.problem(key: whole) {
            note(.badInput, source.path, place, "key '\(whole)': \(problem)")
        }
        let position = count
        try add(planned, key: key, wishes: wishes.number)
        if let test = request.changed { try compare(source, planned, by: test, at: position) }
    }

    private mutating func compare(
        _ source: PlannedSource, _ upload: PlannedUpload, by test: ChangeTest, at position: Int
    ) throws(ProgramError) {
        guard let modifiedAt = source.modifiedAt, let size = source.size, let key = upload.destination.listedKey else {
            return note(.usage, source.path, "", "--changed compares files; this is none")
        }
        try Self.kept { () throws(UploadError) in
            switch test.finding(size: size, modifiedAt: modifiedAt, beside: try file.object(key)) {
            case .new, .changed: break
            case .unchanged: try file.addUnchanged(position)
            case .open: try file.addCandidate(position, modifiedAt: modifiedAt, key: key)
            }
        }
    }

    private mutating func addStandardInput() throws(ProgramError) {
        let place: PlannedPlace
        do throws(UploadError) {
            place = try request.destination.place(of: "", metadata: request.metadata, day: day)
        } catch {
            return note(ProgramError(.usage, "-: \(error.message)"), place: "")
        }
        let type = request.contentType ?? ContentType.of(name: place.reference.displayText)
        try add(
            PlannedUpload(
                id: ids.next(), path: "-", content: .standardInput, place: place, size: nil, contentType: type,
                wishes: wishes),
            key: "", wishes: 0)
    }

    private mutating func add(_ upload: PlannedUpload, key: String, wishes: Int64) throws(ProgramError) {
        if request.moves, upload.content != .file {
            note(ProgramError(.badInput, "--move: \(upload.path) is no file that could be removed"), place: "")
        }
        let position = count
        let isKeyed = upload.wishes.idempotencyKey != nil
        try Self.kept { () throws(UploadError) in
            try file.add(
                PlanFile.Row(
                    path: upload.path, content: upload.content, key: key, size: upload.size,
                    contentType: upload.contentType, wishes: wishes, id: upload.id,
                    reading: upload.reading(for: request), isKeyed: isKeyed), at: position)
        }
        count += 1
        let needsCopy = request.stages && !upload.isInline && !upload.isElsewhere
        if needsCopy, !canStage { note(Self.cannotStage(upload), place: "") }
        isStaged = isStaged || needsCopy
        self.isKeyed = self.isKeyed || isKeyed
        try checkClaims(of: upload, at: position)
    }

    /// Notes a problem if an earlier upload has the same key or idempotency key: two files with the same key would overwrite each other,
    /// and two uploads with the same idempotency key would be one.
    private mutating func checkClaims(of upload: PlannedUpload, at position: Int) throws(ProgramError) {
        // A place by digest is not checked: the same bytes under the same key are one object.
        if case .known(let destination) = upload.place,
            let other = try claim(UInt8(ascii: "d"), destination.exactText, for: position)
        {
            note(
                ProgramError(
                    .badInput,
                    """
                    \(other) and \(upload.path): both would be \(destination.displayText); enqueue them under \
                    different prefixes, or leave one out
                    """), place: "")
        }
        if let key = upload.wishes.idempotencyKey, let other = try claim(UInt8(ascii: "i"), key, for: position) {
            note(
                ProgramError(.badInput, "\(other) and \(upload.path): both have the idempotency key '\(key)'"),
                place: "")
        }
    }

    /// - Returns: the path of the earlier upload with the same text; nil if there is none.
    private func claim(_ kind: UInt8, _ text: String, for position: Int) throws(ProgramError) -> FilePath? {
        try Self.kept { () throws(UploadError) in
            guard let other = try file.claim([kind] + text.utf8, for: position) else { return nil }
            return try file.row(at: other).path
        }
    }

    private func note(_ text: String) throws(ProgramError) {
        try Self.kept { () throws(UploadError) in try file.note(text) }
    }

    private mutating func note(_ code: ExitCode, _ path: FilePath, _ place: String, _ problems: String...) {
        note(code, path, place, problems)
    }

    private mutating func note(_ code: ExitCode, _ path: FilePath, _ place: String, _ problems: [String]) {
        guard !problems.isEmpty else { return }
        note(ProgramError(code, problems: problems.map { "\(path): \($0)" }), place: place)
    }

    private mutating func note(_ error: ProgramError, place: String) {
        exitCode = exitCode ?? error.exitCode
        problemCount += error.problems.count
        problems += error.problems.prefix(max(0, Self.problemsMaximum - problems.count)).map { place + $0 }
    }

    private static func kept<Value>(_ body: () throws(UploadError) -> Value) throws(ProgramError) -> Value {
        do throws(UploadError) { return try body() } catch { throw ProgramError(error) }
    }
}

extension DestinationReference {
    /// The key under which the destination lists the object: of a file's URL, its path below the root of the file system.
    var listedKey: String? {
        switch self {
        case .named(_, let key): key
        case .url(let url): URLComponents(string: url).map { String($0.path.drop { $0 == "/" }) }
        }
    }

    /// A text that differs for different references.
    fileprivate var exactText: String {
        switch self {
        case .named(let name, let key): "\(name):\(key)"
        case .url(let url): "/\(url)"
        }
    }
}
