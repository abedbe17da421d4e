import Logging
import Metrics
import UploadNotifier
import Uploads

extension Bootstrap {
    /// `upload-notifier`.
    public static func notify(_ input: ConfigurationInput, checkConfig: Bool) async throws -> ExitCode {
        let configuration = try UploadConfiguration(input)
        let connection = try configuration.connection(for: "upload-notifier")
        let logger = configuration.logger("upload-notifier")
        let delegates = try configuration.registeredDelegates(logger: logger)
        if checkConfig {
            Console.output(line: ConfigurationReport(settings: configuration.settings).text)
            return .done
        }
        for warning in configuration.warnings { logger.warning("\(warning)") }
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        let settings = configuration.notifier
        let ledger = try Ledger.open(path: settings.ledger)
        let readiness = Readiness()
        let notifier = NotifierConfiguration(allowNetworks: try configuration.networks())
        let runner = NotifierRunner(
            connector: BrokerConnector(
                connection: connection, namespace: configuration.namespace, readiness: readiness, logger: logger),
            ledger: ledger, delegates: delegates, configuration: notifier, readiness: readiness, logger: logger)
        logger.info(
            "notifier starts",
            metadata: [
                "ledger": "\(settings.ledger)", "broker": "\(connection)",
                "delegates": "\(delegates.map(\.name).joined(separator: ","))",
            ])
        do {
            try await Self.run(
                [
                    HealthServer(settings.http, readiness: readiness, registry: registry, logger: logger),
                    ReloadService(input: input, logger: logger) { new in
                        await runner.reload(try new.registeredDelegates(logger: logger))
                    },
                ], main: runner, grace: notifier.stopGrace, logger: logger)
        } catch {
            try? ledger.close()
            throw error
        }
        try ledger.close()
        logger.info("notifier stopped")
        return .done
    }
}
