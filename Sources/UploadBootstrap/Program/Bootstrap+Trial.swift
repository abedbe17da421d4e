import Synchronization
import Uploads

extension Bootstrap {
    /// `uploadctl destination test`: tries a destination of this host's configuration as a worker would use it.
    public static func tryDestination(
        _ request: TrialRequest, _ input: ConfigurationInput, checkConfig: Bool
    ) async throws -> ExitCode {
        var input = input
        input.standards["log.level"] = "error"
        let configuration = try UploadConfiguration(input)
        if checkConfig {
            Console.output(line: ConfigurationReport(settings: configuration.settings).text)
            return .done
        }
        let (name, settings) = try settings(of: request.name, configuration)
        if let key = request.key,
            let problem = key.isEmpty ? "a key is not empty" : DestinationReference.problem(key: key)
        {
            throw ProgramError(.usage, "--write \(key): \(problem)")
        }
        let trialKey = request.prefix + trialKey
        if let problem = DestinationReference.problem(key: trialKey) {
            throw ProgramError(.usage, "--prefix \(request.prefix): \(problem)")
        }
        let reference = DestinationReference.named(name, key: request.key ?? trialKey)
        let refusals = Mutex<[DestinationName: ProgramError]>([:])
        let registry = try DestinationRegistry(configuration) { name, error in refusals.withLock { $0[name] = error } }
        let report = Mutex(TrialReport(destination: name.rawValue, driver: settings.driver.driverName))
        if !request.format.isJSON { Console.output(line: "\(name), driver \(settings.driver.driverName)") }
        let tell: DestinationTrial.Tell = { step in
            report.withLock { $0.steps.append(step) }
            if !request.format.isJSON { Console.output(line: TrialReport.line(step)) }
        }
        let interruption = Interruption()
        if let refusal = refusals.withLock({ $0[name] }) {
            tell(.failed(.settings, UploadError(.misconfigured, refusal.description)))
        } else if let destination = try registry.destination(for: reference) {
            tell(.done(.settings, "its settings and secrets are there"))
            var trial = DestinationTrial(destination: destination, reference: reference, writes: request.key != nil)
            trial.tellFinding = { finding in
                let isFirst = report.withLock { report in
                    report.abilities.append(finding)
                    return report.abilities.count == 1
                }
                guard !request.format.isJSON else { return }
                if isFirst { Console.output(line: TrialReport.header) }
                for line in TrialReport.lines(finding) { Console.output(line: line) }
            }
            try await interruption.cancelling { [trial] in
                let advice = await trial.run(tell)
                report.withLock { $0.advice = advice }
            }
        }
        try await registry.shutdown()
        let whole = report.withLock { $0 }
        if request.format.isJSON {
            Console.output(line: String(decoding: try WireJSON.encode(whole), as: UTF8.self))
        } else {
            for line in whole.adviceLines { Console.output(line: line) }
            Console.output(line: whole.verdict)
        }
        return interruption.wasInterrupted ? .interrupted : whole.works ? .done : .uploadFailed
    }

    private static func settings(
        of text: String, _ configuration: UploadConfiguration
    ) throws(ProgramError) -> (DestinationName, DestinationSettings) {
        let known = configuration.destinations ?? [:]
        if let found = known.first(where: { $0.key.rawValue == text }) { return found }
        guard !known.isEmpty else {
            throw ProgramError(
                .noInput, "no destination is configured here: name the workers' configuration with --config")
        }
        let names = known.keys.map(\.rawValue).sorted()
        let nearest = EditDistance.nearest(to: text, among: names).map { "did you mean '\($0)'?" }
        throw ProgramError(
            .noInput,
            "no destination is configured as '\(text.prefix(80))'; \(nearest ?? "there are \(names.joined(separator: ", "))")"
        )
    }

    private static var trialKey: String {
        "longshore-test-" + String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16)
    }
}
