import Foundation
import Glibc
import Logging
import Synchronization
import UploadClient
import UploadSources
import Uploads
import UploadsRabbitMQ

extension Bootstrap {
    /// `enqueue-upload`: checks all inputs, stages, publishes, and waits for the outcomes with `--wait`.
    /// - Parameter request: nil only with `checkConfig`.
    public static func enqueue(
        _ request: EnqueueRequest?, _ input: ConfigurationInput, checkConfig: Bool, dryRun: Bool
    ) async throws -> ExitCode {
        var input = input
        // A command reports problems by itself; the log of its libraries is for operators who ask for it with --log-level.
        input.standards["log.level"] = "error"
        let configuration = try UploadConfiguration(input)
        if checkConfig {
            _ = try configuration.connection(for: "enqueue-upload")
            Console.output(line: ConfigurationReport(settings: configuration.settings).text)
            return .done
        }
        for warning in configuration.warnings { Console.error(line: "enqueue-upload: \(warning)") }
        guard let request = request?.completed(by: configuration) else { return .usage }
        if request.paths.contains("-") { try StandardInput.check("-") }
        let interruption = Interruption()
        let plan = try await interruption.cancelling {
            var planner = try EnqueuePlanner(
                request, destinations: configuration.destinations.map { Set($0.keys) },
                canStage: configuration.staging != .none)
            guard let test = request.changed else { return try await Self.plan(&planner, request) }
            return try await Self.changes(&planner, request, test, configuration)
        }
        let results = ResultWriter(request.format == .json ? .array : .lines)
        try plan.file.forEachNote { Console.error(line: "enqueue-upload: \($0)") }
        if dryRun {
            for position in 0..<plan.count {
                results.write(Self.dryLine(try plan.upload(at: position), request))
            }
            results.end()
            Console.error(line: "enqueue-upload: \(try plan.total) would be enqueued\(plan.unchangedText)")
            if let skipped = plan.skipped { throw skipped }
            return .done
        }
        if request.changed != nil {
            let total = plan.count == 0 ? "nothing" : try plan.total
            Console.error(line: "enqueue-upload: \(total) to enqueue\(plan.unchangedText)")
        }
        guard plan.count > 0 else {
            results.end()
            if let skipped = plan.skipped { throw skipped }
            return .done
        }
        let logger = configuration.logger("enqueue-upload")
        let patience = Duration.seconds(configuration.brokerPatience)
        let connection = try configuration.connection(for: "enqueue-upload").within(patience)
        let deadline = ContinuousClock.now + patience
        let broker: Result<UploadBroker, UploadError>
        do throws(UploadError) {
            broker = .success(
                try await TimeLimit.within(patience, "did not answer") {
                    () throws(UploadError) in
                    try await UploadBroker.connect(
                        connection, namespace: configuration.namespace, shards: configuration.shards,
                        reads: request.waits, logger: logger)
                })
        } catch {
            guard error.code == .networkFailure, request.usesOutbox else { throw ProgramError(error) }
            broker = .failure(error)
        }
        return try await ProgramTelemetry.during(
            .enqueueUpload, configuration.environment, logger: logger,
            warn: { Console.error(line: "enqueue-upload: \($0)") }
        ) {
            try await carryOut(plan, configuration, broker, deadline: deadline, interruption, results, logger: logger)
        }
    }

    /// Stages and publishes the uploads of a plan, and waits for their outcomes if that is wanted.
    private static func carryOut(
        _ plan: EnqueuePlan, _ configuration: UploadConfiguration, _ broker: Result<UploadBroker, UploadError>,
        deadline: ContinuousClock.Instant, _ interruption: Interruption, _ results: ResultWriter, logger: Logger
    ) async throws -> ExitCode {
        // Confirmed jobs stay confirmed, so the rest of the patience is enough for an orderly end.
        let staging = EnqueueStaging(configuration, logger: logger)
        func close() async {
            await (try? broker.get())?.close(within: max(.seconds(1), deadline - .now))
            await staging.close()
        }
        // Also the ids of a command that failed are whole JSON.
        defer { results.end(isWhole: false) }
        do {
            let code = try await Enqueuer(
                plan: plan, configuration: configuration, broker: broker, deadline: deadline, staging: staging,
                interruption: interruption, results: results, logger: logger
            ).run()
            await close()
            if code == .done, let skipped = plan.skipped { throw skipped }
            return code
        } catch {
            await close()
            throw error
        }
    }

    /// The plan of what differs from the objects at the destination.
    private static func changes(
        _ planner: inout EnqueuePlanner, _ request: EnqueueRequest, _ test: ChangeTest,
        _ configuration: UploadConfiguration
    ) async throws -> EnqueuePlan {
        let refusal = Mutex<ProgramError?>(nil)
        let registry = try DestinationRegistry(configuration) { name, error in
            if name == request.destination.name { refusal.withLock { $0 = error } }
        }
        do {
            if let refusal = refusal.withLock({ $0 }) { throw refusal }
            let check = try ChangeCheck(test, at: request.destination.reference, registry)
            try await check.list(below: request.destination.listedPrefix(day: planner.day), into: planner.file)
            let plan = try await check.settle(try await Self.plan(&planner, request))
            try await registry.shutdown()
            return plan
        } catch {
            try await registry.shutdown()
            guard let error = error as? UploadError else { throw error }
            throw ProgramError(ProgramError(error).exitCode, "--changed: \(error.message); nothing was enqueued")
        }
    }

    /// Walks and checks everything that the command line and the manifest name.
    private static func plan(
        _ planner: inout EnqueuePlanner, _ request: EnqueueRequest
    ) async throws -> EnqueuePlan {
        try planner.addPaths()
        guard let manifest = request.manifest else { return try planner.finish() }
        let isInput = manifest == "-"
        if isInput { try StandardInput.check("--manifest -") }
        let name = isInput ? "standard input" : manifest.description
        let descriptor = isInput ? STDIN_FILENO : open(manifest)
        guard descriptor >= 0 else {
            throw ProgramError(.noInput, "--manifest \(name): cannot be read; check that it exists and may be read")
        }
        defer { if !isInput { close(descriptor) } }
        var lines = TextLines()
        do {
            for try await bytes in StandardInput(descriptor: descriptor) {
                try lines.add(bytes) { line, number throws(ProgramError) in
                    try planner.add(line: line, number: number, of: name)
                }
            }
        } catch let error as POSIXError {
            throw ProgramError(
                .noInput, "--manifest \(name): cannot be read: \(String(cString: strerror(error.code.rawValue)))")
        }
        try lines.finish { line, number throws(ProgramError) in
            try planner.add(line: line, number: number, of: name)
        }
        return try planner.finish()
    }

    private static func open(_ path: FilePath) -> CInt {
        (path.bytes + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { Glibc.open($0.baseAddress!, O_RDONLY | O_CLOEXEC) }
        }
    }

    private static func dryLine(_ upload: PlannedUpload, _ request: EnqueueRequest) -> String {
        if request.printsJSON {
            let line: JSONValue = .object([
                "source": .string(upload.path.description), "destination": .string(upload.destination.displayText),
                "contentType": .string(upload.contentType), "size": upload.size.map { .integer($0) } ?? .null,
                "notBefore": upload.wishes.schedule.notBefore.map { .string(WireJSON.timestamp($0)) } ?? .null,
                "expiresAt": upload.wishes.schedule.expiresAt.map { .string(WireJSON.timestamp($0)) } ?? .null,
                "batch": upload.wishes.batch.map { .string($0) } ?? .null,
                "idempotencyKey": upload.wishes.idempotencyKey.map { .string($0) } ?? .null,
            ])
            return (try? WireJSON.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        let size = upload.size.map { Quantity.text(bytes: $0) } ?? "size unknown"
        return PlainText.safe(
            "\(upload.path) -> \(upload.destination.displayText) (\(size), \(upload.contentType)\(upload.wishes.schedule.text))"
        )
    }
}

extension EnqueueRequest {
    /// With what the configuration asks for besides.
    fileprivate func completed(by configuration: UploadConfiguration) -> EnqueueRequest {
        var request = self
        request.sha256 = sha256 || configuration.needsSHA256(at: destination.name)
        return request
    }
}
