import Foundation
import RabbitMQ
import UploadClient
import Uploads
import UploadsRabbitMQ

extension Bootstrap {
    /// `uploadctl topology`: shows, checks, declares, migrates or deletes the namespace's objects on the broker.
    public static func topology(
        _ request: TopologyRequest, _ input: ConfigurationInput, checkConfig: Bool
    ) async throws -> ExitCode {
        var input = input
        input.standards["log.level"] = "error"
        let configuration = try UploadConfiguration(input)
        let connection = try configuration.connection(for: "uploadctl")
        if checkConfig {
            Console.output(line: ConfigurationReport(settings: configuration.settings).text)
            return .done
        }
        if case .declare(isPrinted: true) = request.verb {
            let (queues, delegates) = names(request, configuration)
            let definitions = try UploadTopology(
                namespace: configuration.namespace, shards: configuration.shards
            ).definitions(
                of: queues, delegates: delegates, virtualHost: connection.virtualHost)
            Console.output(line: String(decoding: try WireJSON.encode(definitions), as: UTF8.self))
            return .done
        }
        let interruption = Interruption()
        return try await interruption.cancelling {
            try await withBroker(configuration, connection) { try await topology(request, configuration, $0) }
        }
    }

    private static func topology(
        _ request: TopologyRequest, _ configuration: UploadConfiguration, _ broker: UploadBroker
    ) async throws -> ExitCode {
        let (queues, delegates) = names(request, configuration)
        if case .declare = request.verb {
            try await TimeLimit.within(brokerLimit, "did not declare it all") { () throws(UploadError) in
                try await broker.declareObjects(queues: queues, delegates: delegates)
            }
        }
        let objects = try await TimeLimit.within(brokerLimit, "did not say what is there") {
            () throws(UploadError) in try await broker.objects(queues: queues, delegates: delegates)
        }
        let report = TopologyReport(objects: objects, topology: broker.topology)
        switch request.verb {
        case .migrate:
            // A worker of the earlier version would publish events under keys that no queue of a shard gets.
            if let refusal = report.refusal(discardsMessages: true) {
                throw ProgramError(.refused, "\(refusal); nothing was moved")
            }
            let count = try await broker.migrateObjects(queues: queues, delegates: delegates)
            say(
                count.map { "moved, with \($0) messages of the notifier's queue; start the programs of this version" }
                    ?? "nothing to move: namespace '\(configuration.namespace)' has no queue of an earlier version")
            return .done
        case .show:
            try show(report, request)
            return .done
        case .check, .declare:
            for problem in report.problems { say(problem) }
            if report.wrong.isEmpty { say("all \(report.objects.count) objects are as they should be") }
            return report.wrong.isEmpty ? .done : .uploadFailed
        case .delete(let discardsMessages, let isConfirmed):
            guard report.isThere else {
                say("nothing of namespace '\(configuration.namespace)' is there")
                return .done
            }
            if let refusal = report.refusal(discardsMessages: discardsMessages) {
                throw ProgramError(.refused, "\(refusal); nothing was deleted")
            }
            let count = report.objects.count { $0.state != .missing }
            let question = """
                delete \(count) exchanges and queues of namespace '\(configuration.namespace)', with \(report.messages) \
                messages and all that was ordered (pauses, stopped queues)?
                """
            guard isConfirmed || Console.canAsk && Console.confirms(question) else {
                throw ProgramError(.refused, "nothing was deleted; --yes deletes without asking")
            }
            try await TimeLimit.within(brokerLimit, "did not delete it all") { () throws(UploadError) in
                try await broker.deleteObjects(queues: queues, delegates: delegates)
            }
            say("\(count) exchanges and queues deleted")
            return .done
        }
    }

    private static func names(
        _ request: TopologyRequest, _ configuration: UploadConfiguration
    ) -> (queues: [QueueName], delegates: [String]) {
        (
            Set(configuration.worker.queues + request.queues).sorted { $0.rawValue < $1.rawValue },
            Set(configuration.queueDelegates + request.delegates).sorted()
        )
    }

    private static func show(_ report: TopologyReport, _ request: TopologyRequest) throws {
        guard !request.format.isJSON else {
            let results = ResultWriter(request.format, isList: true)
            for object in report.objects { try results.write(json: object) }
            return results.end()
        }
        let isWide = request.format == .wide
        let table = Table(isWide ? report.objects : report.folded)
        let width = isWide ? nil : Console.outputColumns
        for line in table.lines(width: width, hasHead: request.printsHead, isWide: isWide) {
            Console.output(line: line)
        }
    }

    private static func say(_ line: String) { Console.error(line: "uploadctl: \(line)") }
}
