import Foundation
import Logging
import NIOCore
import NIOHTTP1
import RabbitMQ
import UploadClient
import Uploads
import UploadsAPI
import UploadsRabbitMQ

extension Bootstrap {
    /// `uploadctl`: sends orders to the notifier, one after the other, and reports each result.
    /// - Parameter requests: empty only with `checkConfig`.
    public static func order(
        _ requests: [OrderRequest], _ input: ConfigurationInput, checkConfig: Bool
    ) async throws -> ExitCode {
        var input = input
        // A command reports problems by itself; the log of its libraries is for operators who ask for it with --log-level.
        input.standards["log.level"] = "error"
        let configuration = try UploadConfiguration(input)
        let connection = try configuration.connection(for: "uploadctl")
        if checkConfig {
            Console.output(line: ConfigurationReport(settings: configuration.settings).text)
            return .done
        }
        for warning in configuration.warnings { Console.error(line: "uploadctl: \(warning)") }
        let interruption = Interruption()
        return try await interruption.cancelling {
            for name in requests.flatMap(\.queues) { await doubt(name, configuration) }
            let requests = try await naming(requests, configuration)
            let format = requests.first?.format ?? .table
            let results = ResultWriter(format, isList: !requests.contains { $0.command.isSweep })
            var isWhole = false
            // Each order that was answered is whole by itself, also if the next one fails.
            defer { if format.isJSON { results.end(isWhole: isWhole) } }
            if requests.allSatisfy(\.isDryRun) {
                for request in requests {
                    let counted = await count(request.command, configuration)
                    show(
                        OrderReport(dryRunOf: request.command, counted: counted, printsJSON: format.isJSON), results)
                }
                isWhole = true
                return .done
            }
            let limit = requests.compactMap(\.patience).max().map { Duration.seconds($0) }
            let code = try await withBroker(configuration, connection, within: limit) { broker in
                var code = ExitCode.done
                for request in requests {
                    let ended = try await order(request, broker, results)
                    if ended != .done { code = ended }
                }
                return code
            }
            isWhole = true
            return code
        }
    }

    /// Connects to the broker, runs the body, and closes the connection.
    /// - Parameter limit: the longest time for connecting; nil: ``brokerLimit``.
    static func withBroker(
        _ configuration: UploadConfiguration, _ connection: ConnectionConfiguration, within limit: Duration? = nil,
        _ body: (UploadBroker) async throws -> ExitCode
    ) async throws -> ExitCode {
        let logger = configuration.logger("uploadctl")
        let limit = limit ?? brokerLimit
        let broker = try await TimeLimit.within(limit, "did not answer") { () throws(UploadError) in
            try await UploadBroker.connect(
                connection.within(limit), namespace: configuration.namespace, shards: configuration.shards, reads: true,
                logger: logger)
        }
        do {
            let code = try await body(broker)
            await broker.close(within: closingLimit)
            return code
        } catch {
            await broker.close(within: closingLimit)
            throw error
        }
    }

    /// The longest time for connecting and for one operation of the broker, where the command sets none.
    static let brokerLimit = Duration.seconds(20)
    /// The longest time for closing the connection. Nothing is lost if the broker exceeds it, because the work is done by then.
    private static let closingLimit = Duration.seconds(1)

    /// Warns about a queue that the notifier does not know. It is no error: an order may be for a queue that is used only later.
    private static func doubt(_ queue: QueueName, _ configuration: UploadConfiguration) async {
        try? await NotifierClient.with(configuration) { client in
            await InquiryRunner(client: client, time: LocalTime()).doubt(
                queue.rawValue, "queue", in: "/v1/queues")
        }
    }

    /// Asks the notifier how many jobs an order with a filter would be about; nil for another order, or if the notifier does not say.
    private static func count(
        _ command: UploadOrder.Command, _ configuration: UploadConfiguration
    ) async -> API.OrderAnswer? {
        guard case .matching = command else { return nil }
        do {
            let order = try WireJSON.decode(
                JSONValue.self, from: try WireJSON.encode(UploadOrder(command, by: author)))
            let question: JSONValue = [
                "verb": order["verb"] ?? .null, "filter": order["filter"] ?? .null, "dryRun": .bool(true),
            ]
            return try await NotifierClient.with(configuration) { client in
                try await client.ask(.POST, "/v1/orders", body: question, patience: .seconds(30))
            }
        } catch {
            Console.error(line: PlainText.safe("uploadctl: not counted: \(error)"))
            return nil
        }
    }

    /// Replaces what users write for workers by the workers' whole names, if the notifier says which workers there are.
    private static func naming(
        _ requests: [OrderRequest], _ configuration: UploadConfiguration
    ) async throws -> [OrderRequest] {
        guard requests.contains(where: { !$0.workers.isEmpty }) else { return requests }
        let live: [API.Worker]
        do {
            live = try await NotifierClient.with(configuration) { client in
                try await client.ask(.GET, "/v1/workers", as: ListPage<API.Worker>.self, patience: .seconds(5)).items
            }
        } catch let error as ProgramError {
            Console.error(
                line: PlainText.safe(
                    "uploadctl: taking workers' names as they are, because the notifier does not say which there are: \(error)"
                ))
            return requests
        }
        let choice = WorkerChoice(live)
        return try requests.map { request in
            request.workers.isEmpty
                ? request : request.naming(try request.workers.map { word in try choice.name(for: word) })
        }
    }

    private static func order(
        _ request: OrderRequest, _ broker: UploadBroker, _ results: ResultWriter
    ) async throws -> ExitCode {
        let order = UploadOrder(request.command, by: author)
        let patience = request.patience.map { Duration.seconds($0) }
        // If the answer exceeds its own limit by more than this, the broker has not even confirmed the order.
        let answer = try await TimeLimit.within((patience ?? brokerLimit) + closingLimit, "did not confirm the order") {
            () throws(UploadError) in try await broker.order(order, patience: patience)
        }
        if answer?.problem == .tooMany, let answer, case .matching(let verb, let filter, _) = request.command,
            Console.canAsk, Console.confirms("\(verb.imperative) \(answer.matched) jobs?")
        {
            var confirmed = request
            confirmed.command = .matching(verb, filter, atMost: answer.matched)
            return try await Self.order(confirmed, broker, results)
        }
        let report = OrderReport(answer, to: order, waited: request.patience, printsJSON: request.format.isJSON)
        show(report, results)
        return report.exitCode
    }

    private static func show(_ report: OrderReport, _ results: ResultWriter) {
        for line in report.output { results.write(line) }
        for line in report.errors { Console.error(line: "uploadctl: \(line)") }
    }

    /// The user and host that give the order, for the ledger's record.
    static var author: String { "\(NSUserName())@\(ProcessInfo.processInfo.hostName)" }
}
