import Foundation
import NIOCore
import Uploads

extension Bootstrap {
    /// `uploadctl`: asks the notifier's HTTP API and shows what it says.
    public static func inquire(
        _ inquiry: Inquiry, _ input: ConfigurationInput, printsJSON: Bool, checkConfig: Bool
    ) async throws -> ExitCode {
        var input = input
        input.standards["log.level"] = "error"
        let configuration = try UploadConfiguration(input)
        if checkConfig {
            Console.output(line: ConfigurationReport(settings: configuration.settings).text)
            return .done
        }
        let interruption = Interruption()
        if case .watch(let choice) = inquiry {
            do {
                return try await interruption.cancelling {
                    // The notifier says something every 15 s.
                    try await NotifierClient.with(configuration, silence: .seconds(45)) { client in
                        try await EventWatch(client: client, choice: choice, printsJSON: printsJSON).run()
                    }
                }
            } catch  where interruption.wasInterrupted {
                return .interrupted
            }
        }
        return try await interruption.cancelling {
            try await NotifierClient.with(configuration) { client in
                let runner = InquiryRunner(client: client, printsJSON: printsJSON, time: LocalTime())
                return try await runner.answer(inquiry)
            }
        }
    }
}
