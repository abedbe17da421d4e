public import ArgumentParser
import Foundation
import Uploads

/// How every program begins and ends: parse, run, say what went wrong as `program: what: why; remedy`, exit.
public enum Program {
    /// - Parameters:
    ///   - examples: what `--help` ends with.
    ///   - run: the program; its exit status.
    public static func main<Command: ParsableArguments>(
        _ command: Command.Type, name: String, examples: String, run: @Sendable (Command) async throws -> ExitCode
    ) async -> Never {
        // A reader that is gone shows as a failed write, which is handled; it must not end the process between two steps.
        signal(SIGPIPE, SIG_IGN)
        let parsed: Command
        do {
            parsed = try Command.parse()
        } catch {
            if Command.exitCode(for: error).isSuccess {
                Console.output(line: Command.helpMessage(columns: 80) + "\n\n" + examples)
                exit(ExitCode.done.rawValue)
            }
            let message = Command.message(for: error)
            Console.error(line: "\(name): \(message); see \(name) --help")
            exit(ExitCode.usage.rawValue)
        }
        do {
            exit(try await run(parsed).rawValue)
        } catch {
            let problem = Self.problem(error)
            for line in problem.problems { Console.error(line: "\(name): \(line)") }
            exit(problem.exitCode.rawValue)
        }
    }

    /// What an error means to the user.
    static func problem(_ error: any Error) -> ProgramError {
        if let problem = error as? ProgramError { return problem }
        if let error = error as? UploadError { return ProgramError(error) }
        if error is CancellationError { return ProgramError(.interrupted, "interrupted") }
        return ProgramError(.internalError, "unexpected error: \(error); please report it")
    }
}
