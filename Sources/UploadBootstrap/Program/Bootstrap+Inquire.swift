import Foundation
import NIOCore
import Uploads

extension Bootstrap {
    /// `uploadctl`: sends a question to the notifier's HTTP API and prints the answer.
    public static func inquire(
        _ inquiry: Inquiry, _ input: ConfigurationInput, format: OutputFormat, printsHead: Bool = true,
        checkConfig: Bool
    ) async throws -> ExitCode {
        var input = input
        input.standards["log.level"] = "error"
        let configuration = try UploadConfiguration(input)
        if checkConfig {
            Console.output(line: ConfigurationReport(settings: configuration.settings).text)
            return .done
        }
        try inquiry.check(format)
        for warning in configuration.warnings { Console.error(line: "uploadctl: \(warning)") }
        let interruption = Interruption()
        if case .watch(let choice) = inquiry {
            do {
                return try await interruption.cancelling {
                    // The notifier sends at least a comment every 15 s, so 45 s of silence mean a lost connection.
                    try await NotifierClient.with(configuration, silence: .seconds(45)) { client in
                        try await EventWatch(client: client, choice: choice, printsJSON: format.isJSON).run()
                    }
                }
            } catch  where interruption.wasInterrupted {
                return .interrupted
            }
        }
        do {
            return try await interruption.cancelling {
                try await NotifierClient.with(configuration) { client in
                    let runner = InquiryRunner(
                        client: client, format: format, hasRows: inquiry.hasRows, printsHead: printsHead,
                        time: LocalTime())
                    return try await runner.answer(inquiry)
                }
            }
        } catch  where interruption.wasInterrupted && inquiry.isWait {
            throw ProgramError(.interrupted, "stopped waiting; the uploads go on")
        }
    }
}

extension Inquiry {
    fileprivate var isWait: Bool { if case .wait = self { true } else { false } }
}
