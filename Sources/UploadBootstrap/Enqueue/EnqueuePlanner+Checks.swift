import Uploads

/// Checks of a request as a whole and of single fields.
extension EnqueuePlanner {
    static func problems(batch: String?, idempotencyKey: String?) -> [String] {
        [("batch", batch), ("idempotencyKey", idempotencyKey)].compactMap { name, text in
            text.flatMap(UploadJob.problem(label:)).map { "\(name): \($0)" }
        }
    }

    static func problems(
        contentType: String?, _ properties: ObjectProperties, metadata: [String: String]
    ) -> [String] {
        let type = contentType.flatMap(ContentType.problem).map { ["contentType: \($0)"] } ?? []
        return type + properties.problems + ObjectProperties.problems(metadata: metadata)
    }

    static func check(_ request: EnqueueRequest) throws(ProgramError) {
        let wrong = problems(
            contentType: request.contentType, request.properties, metadata: request.metadata)
        let labels = problems(batch: request.batch, idempotencyKey: request.idempotencyKey)
        if !(wrong + labels).isEmpty { throw ProgramError(.usage, problems: wrong + labels) }
        if request.from != nil, !request.stages {
            throw ProgramError(.usage, "--no-stage: nothing is staged of what lies at --from; leave it out")
        }
        if request.moves, !request.stages || request.from != nil || request.paths.contains("-") {
            let other = request.from != nil ? "--from" : request.stages ? "'-'" : "--no-stage"
            throw ProgramError(
                .usage, "--move: only files that are staged can be removed at once; leave out --move or \(other)")
        }
        if request.verify, let problem = request.destination.reference.readBackProblem {
            throw ProgramError(.usage, "--verify: \(problem)")
        }
        if let pattern = (request.filter.included + request.filter.excluded).first(where: { !PathFilter.isPattern($0) })
        {
            throw ProgramError(
                .usage, "--include, --exclude: '\(pattern)' is no pattern for names, such as '*.jpg' or 'raw/**'")
        }
        if request.changed != nil {
            if request.from != nil || request.paths.contains("-") {
                let other = request.from == nil ? "'-'" : "--from"
                throw ProgramError(.usage, "--changed: only files are compared; leave out --changed or \(other)")
            }
            if request.destination.needsDigest {
                throw ProgramError(
                    .usage,
                    "--changed: --to names {sha256}, and what lies under such a key has these bytes; use --if-exists skip instead"
                )
            }
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

    static func check(_ name: DestinationName?, among names: Set<DestinationName>?) throws(ProgramError) {
        guard let name, let problem = name.problem(among: names) else { return }
        throw ProgramError(.configuration, "destination '\(name)': \(problem)")
    }

    /// The problem of an upload that needs a copy where there is no staging area.
    static func cannotStage(_ upload: PlannedUpload) -> ProgramError {
        let remedy =
            upload.content == .file
            ? "give --no-stage if the workers can read it under this path, below one of their sourceRoots; or set 'staging'"
            : "put it into a file that the workers can read, and give --no-stage; or set 'staging'"
        return ProgramError(
            .badInput,
            "\(upload.path): only \(SourceReference.inlineBytesMaximum >> 10) KiB travel inside a job, and the configuration says staging: \(StagingPlace.word); \(remedy)"
        )
    }

    static func needsPrefix(_ what: String) -> ProgramError {
        ProgramError(
            .usage,
            "\(what): the destination must be a prefix that ends in '/' or ':', as in photos: or photos:2026/, or have {name} "
                + "in its key")
    }
}
