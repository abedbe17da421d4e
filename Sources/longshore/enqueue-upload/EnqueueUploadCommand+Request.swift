import UploadBootstrap
import Uploads

extension EnqueueUploadCommand {
    /// The request of the command line; nil with `--check-config`.
    /// - Parameter arguments: the arguments that were parsed.
    /// - Throws: `usage` for invalid or contradicting arguments.
    func request(_ arguments: [String]) throws(ProgramError) -> EnqueueRequest? {
        let escaped = (paths + [manifest].compactMap { $0 }).count(where: ByteArguments.escapes)
        guard arguments.count(where: ByteArguments.isEscaped) == escaped else {
            throw ProgramError(
                .usage, "an option has a value that is not UTF-8; only a PATH and --manifest may name such a file")
        }
        if common.checkConfig { return nil }
        guard let to else {
            throw ProgramError(.usage, "--to is missing: say where the files belong, as in --to photos:2026/")
        }
        var request = EnqueueRequest(paths: paths, destination: try DestinationArgument(to))
        if let from {
            do throws(UploadError) {
                request.from = try DestinationName(from)
            } catch {
                throw ProgramError(.usage, "--from: \(error.message)")
            }
        }
        if let queue {
            do throws(UploadError) {
                request.queue = try QueueName(queue)
            } catch {
                throw ProgramError(.usage, "--queue: \(error.message)")
            }
        }
        if let priority {
            guard let lane = Lane(rawValue: priority), lane != .continued else {
                throw ProgramError(.usage, "--priority \(priority): expected urgent, normal or bulk")
            }
            request.priority = lane
        }
        if let ifExists {
            guard let word = IfExists(rawValue: ifExists) else {
                throw ProgramError(.usage, "--if-exists \(ifExists): expected skip, fail, rename or replace")
            }
            request.ifExists = word
        }
        if let maxAttempts, !(1...1000).contains(maxAttempts) {
            throw ProgramError(.usage, "--max-attempts \(maxAttempts): expected a whole number from 1 to 1000")
        }
        request.filter = PathFilter(included: include, excluded: exclude)
        request.skipsErrors = skipErrors
        if let changed {
            guard let test = ChangeTest(rawValue: changed) else {
                throw ProgramError(.usage, "--changed=\(changed): expected size,mtime or digest")
            }
            request.changed = test
        }
        request.verify = verify
        request.sha256 = sha256
        request.metadata = try Self.pairs(metadata, of: "--metadata")
        request.properties = ObjectProperties(
            cacheControl: cacheControl, contentDisposition: contentDisposition, contentEncoding: contentEncoding,
            contentLanguage: contentLanguage, storageClass: storageClass, tags: try Self.pairs(tag, of: "--tag"))
        request.schedule = try EnqueueSchedule(after: after, at: at, expiresIn: expiresIn)
        request.batch = batch
        request.idempotencyKey = idempotencyKey
        if let insertAt {
            guard serial, insertAt >= 0 else {
                throw ProgramError(
                    .usage, "--insert-at \(insertAt): expected a place in the serial line, 0 or more, with --serial")
            }
            request.serial = SerialPosition(index: insertAt)
        } else if serial {
            request.serial = .end
        }
        request.usesOutbox = !noOutbox
        request.contentType = contentType
        request.maxAttempts = maxAttempts
        request.stages = !noStage
        request.moves = move
        request.manifest = manifest
        request.waits = wait
        request.format = output
        return request
    }

    /// Gives `--changed` its value where the argument behind it is none.
    static func completed(_ arguments: [String]) -> [String] {
        let options = arguments.prefix { $0 != "--" }
        return options.indices.map { place in
            let isAlone = !ChangeTest.allCases.map(\.rawValue).contains(arguments.dropFirst(place + 1).first ?? "")
            return options[place] == "--changed" && isAlone
                ? "--changed=\(ChangeTest.sizeAndTime.rawValue)" : options[place]
        } + arguments.dropFirst(options.count)
    }

    private static func pairs(_ texts: [String], of option: String) throws(ProgramError) -> [String: String] {
        var pairs: [String: String] = [:]
        for text in texts {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw ProgramError(.usage, "\(option) \(text): expected KEY=VALUE")
            }
            pairs[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        return pairs
    }
}
