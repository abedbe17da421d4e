import Foundation
import Logging
import UploadClient
import UploadSources
import Uploads
import UploadsRabbitMQ

extension Bootstrap {
    /// `enqueue-upload`: checks all inputs, stages, publishes, and waits where it is asked to.
    /// - Parameter request: nil only with `checkConfig`.
    public static func enqueue(
        _ request: EnqueueRequest?, _ input: ConfigurationInput, checkConfig: Bool, dryRun: Bool
    ) async throws -> ExitCode {
        var input = input
        // A command says what went wrong by itself; the log of its libraries is for whoever asks for it.
        input.standards["log.level"] = "error"
        let configuration = try UploadConfiguration(input)
        if checkConfig {
            _ = try configuration.connection(for: "enqueue-upload")
            Console.output(line: ConfigurationReport(settings: configuration.settings).text)
            return .done
        }
        guard let request else { return .usage }
        if request.paths.contains("-") { try StandardInput.check("-") }
        let interruption = Interruption()
        let manifest = try await Self.manifest(of: request, interruption)
        let plan = try EnqueuePlan(
            request, manifest: manifest, destinations: configuration.destinations.map { Set($0.keys) })
        for note in plan.notes { Console.error(line: "enqueue-upload: \(note)") }
        if dryRun {
            for upload in plan.uploads { Console.output(line: Self.dryLine(upload, request)) }
            return .done
        }
        guard !plan.uploads.isEmpty else { return .done }
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
                        connection, namespace: configuration.namespace, reads: request.waits, logger: logger)
                })
        } catch {
            guard error.code == .networkFailure, request.usesOutbox else { throw ProgramError(error) }
            broker = .failure(error)
        }
        // What is confirmed stays so: what is left of the patience is enough for an orderly end.
        func close() async { await (try? broker.get())?.close(within: max(.seconds(1), deadline - .now)) }
        do {
            let code = try await Enqueuer(
                request: request, plan: plan, configuration: configuration, broker: broker, deadline: deadline,
                interruption: interruption, logger: logger
            ).run()
            await close()
            return code
        } catch {
            await close()
            throw error
        }
    }

    private static func manifest(of request: EnqueueRequest, _ interruption: Interruption) async throws -> String? {
        guard let name = request.manifest else { return nil }
        if name == "-" {
            try StandardInput.check("--manifest -")
            return try await interruption.cancelling { try await StandardInput.text() }
        }
        guard let data = FileManager.default.contents(atPath: name) else {
            throw ProgramError(.noInput, "--manifest \(name): cannot be read; check that it exists and may be read")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private static func dryLine(_ upload: PlannedUpload, _ request: EnqueueRequest) -> String {
        if request.printsJSON {
            let line: JSONValue = .object([
                "source": .string(upload.path), "destination": .string(upload.destination.displayText),
                "contentType": .string(upload.contentType), "size": upload.size.map { .integer($0) } ?? .null,
                "notBefore": upload.schedule.notBefore.map { .string(WireJSON.timestamp($0)) } ?? .null,
                "expiresAt": upload.schedule.expiresAt.map { .string(WireJSON.timestamp($0)) } ?? .null,
                "batch": upload.batch.map { .string($0) } ?? .null,
                "idempotencyKey": upload.idempotencyKey.map { .string($0) } ?? .null,
            ])
            return (try? WireJSON.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        let size = upload.size.map { Quantity.text(bytes: $0) } ?? "size unknown"
        return PlainText.safe(
            "\(upload.path) -> \(upload.destination.displayText) (\(size), \(upload.contentType)\(upload.schedule.text))"
        )
    }
}
