import ArgumentParser
import UploadBootstrap

/// The one executable: it acts as the program under whose name it is called, or that its first argument names.
@main
enum Longshore {
    static func main() async {
        let call = ProgramCall(CommandLine.arguments)
        switch call {
        case .program(let program, let skipped): await run(program, skipped)
        case .help: Program.end(printing: help)
        case .version: Program.end(printing: ProgramVersion.line(of: "longshore"))
        case .unknown: Program.end(call.problem)
        }
    }

    private static func run(_ program: ProgramName, _ skipped: Int) async -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst(skipped))
        switch program {
        case .enqueueUpload:
            let arguments = ByteArguments.all(after: skipped)
            await Program.main(
                EnqueueUploadCommand.self, program, EnqueueUploadCommand.completed(arguments),
                examples: EnqueueUploadCommand.examples
            ) { command in
                try await Bootstrap.enqueue(
                    try command.request(arguments), command.common.input, checkConfig: command.common.checkConfig,
                    dryRun: command.dryRun)
            }
        case .uploadWorker:
            await Program.main(
                UploadWorkerCommand.self, program, arguments, examples: UploadWorkerCommand.examples
            ) { command in
                try await Bootstrap.work(
                    command.input, exitWhenIdle: command.exitWhenIdle, checkConfig: command.common.checkConfig)
            }
        case .uploadNotifier:
            await Program.main(
                UploadNotifierCommand.self, program, arguments, examples: UploadNotifierCommand.examples
            ) { command in
                try await Bootstrap.notify(command.input, checkConfig: command.common.checkConfig)
            }
        case .uploadctl:
            await Program.main(
                root: UploadctlCommand.self, as: (any ControlCommand).self, program, arguments,
                examples: UploadctlCommand.examples
            ) { command in
                try await command.perform()
            }
        }
    }

    private static var help: String {
        let programs: [(ProgramName, String)] = [
            (.enqueueUpload, EnqueueUploadCommand.configuration.abstract),
            (.uploadWorker, UploadWorkerCommand.configuration.abstract),
            (.uploadNotifier, UploadNotifierCommand.configuration.abstract),
            (.uploadctl, UploadctlCommand.configuration.abstract),
        ]
        let lines = programs.map { program, abstract in
            "  \(program.word)\n    \(abstract)\n    The same as \(program.rawValue)."
        }
        return """
            OVERVIEW: Longshore's programs in one executable.

            Under the name of one of them, through a link, it is that program.

            USAGE: longshore <program> [arguments]

            PROGRAMS:
            \(lines.joined(separator: "\n"))

            See longshore <program> --help
            """
    }
}
