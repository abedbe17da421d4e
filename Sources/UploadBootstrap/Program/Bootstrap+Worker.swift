import Foundation
import Logging
import Metrics
import UploadSources
import UploadWorkers
import Uploads
import UploadsRabbitMQ

extension Bootstrap {
    /// `upload-worker`: works until it is stopped, or, with `exitWhenIdle`, until there is nothing to do.
    public static func work(
        _ input: ConfigurationInput, exitWhenIdle: Bool, checkConfig: Bool
    ) async throws -> ExitCode {
        Allocator.tune()
        let configuration = try UploadConfiguration(input)
        try configuration.checkSecrets(of: ["brokerPassword", "destinations"])
        let connection = try configuration.connection(for: "upload-worker")
        let destinations = try DestinationRegistry(configuration)
        do {
            _ = try configuration.staging.destination?.driver(of: destinations)
        } catch {
            // AsyncHTTPClient traps if its clients are released without a shutdown.
            try? await destinations.shutdown()
            throw error
        }
        if checkConfig {
            Console.output(line: ConfigurationReport(settings: configuration.settings).text)
            try await destinations.shutdown()
            return .done
        }
        let logger = configuration.logger("upload-worker")
        for warning in configuration.warnings { logger.warning("\(warning)") }
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        let figures = ProcessMetrics()
        let settings = configuration.worker
        let area: StagingArea?
        do {
            if let path = configuration.staging.directory {
                area = try await StagingArea.open(at: path, group: configuration.stagingGroup)
            } else {
                area = nil
            }
        } catch {
            try? await destinations.shutdown()
            throw error
        }
        let readiness = Readiness()
        let connected = BrokerConnection()
        let staging = StagingMetrics { [spool = configuration.spool] () throws(UploadError) in
            try await StagingArea.existing(at: spool)
        }
        var worker = WorkerConfiguration(
            concurrency: settings.concurrency, parts: settings.parts, slice: .seconds(settings.slice),
            grace: .seconds(settings.grace), consumerTimeout: .seconds(configuration.consumerTimeout))
        worker.name = Self.workerName
        worker.host = ProcessInfo.processInfo.hostName
        worker.version = ProgramVersion.number
        worker.commit = ProgramVersion.commit
        worker.queues = settings.queues
        worker.exitWhenIdle = exitWhenIdle ? Self.idle : nil
        let connector = BrokerConnector(
            connection: connection, namespace: configuration.namespace, shards: configuration.shards,
            readiness: readiness, connected: connected, logger: logger)
        let service = WorkerService(
            connector: connector,
            queue: JobQueueConfiguration(
                queues: settings.queues,
                prefetchPerLane: JobQueueConfiguration.prefetch(jobsAtOnce: worker.jobsAtOnceFirst),
                worker: worker.name),
            destinations: destinations,
            sources: ObjectSources(beside: Self.sources(area, configuration, destinations), at: destinations),
            configuration: worker, spool: configuration.spool, readiness: readiness, logger: logger)
        logger.info(
            "worker starts",
            metadata: [
                "queues": "\(settings.queues.map(\.rawValue).joined(separator: ","))", "broker": "\(connection)",
                "staging": "\(configuration.staging.text)",
                "concurrency": "\(settings.concurrency)",
            ])
        registry.onUpdate {
            figures.show()
            connected.show()
            await staging.show()
        }
        do {
            try await ProgramTelemetry.during(
                .uploadWorker, configuration.environment, registry, logger: logger, warn: { logger.warning("\($0)") }
            ) {
                try await Self.run(
                    [
                        HealthServer(
                            settings.http, takesAnother: configuration.settings.isStandard("worker.http"),
                            readiness: readiness, registry: registry, logger: logger),
                        ReloadService(
                            program: .uploadWorker, input: input, settings: configuration.settings, logger: logger
                        ) { try destinations.reload($0) },
                    ], main: service, readiness: readiness, grace: .seconds(settings.grace), logger: logger)
            }
        } catch {
            try? await destinations.shutdown()
            throw error
        }
        try await destinations.shutdown()
        logger.info("worker stopped")
        return .done
    }

    /// What the worker finds on its own file systems and in its staging area.
    private static func sources(
        _ area: StagingArea?, _ configuration: UploadConfiguration, _ destinations: DestinationRegistry
    ) -> any SourceProvider {
        let local = LocalSources(areas: area.map { [$0] } ?? [], roots: configuration.sourceRoots)
        guard let place = configuration.staging.destination else { return local }
        return DestinationAreaSources(beside: local, in: place, of: destinations)
    }

    /// The host name and process id, and a random number that distinguishes containers in which both are the same.
    private static var workerName: String {
        let process = ProcessInfo.processInfo
        let random = String(UInt16.random(in: 0x1000 ... .max), radix: 16)
        return "\(process.hostName.prefix(100))/\(process.processIdentifier)-\(random)"
    }

    /// With `--exit-when-idle`, the worker ends after this time without a job.
    private static let idle = Duration.seconds(5)
}
