public import ArgumentParser
import Foundation
import Uploads

/// The frame of every program: it parses, runs, reports problems as `program: what: why; remedy`, and exits.
public enum Program {
    /// - Parameters:
    ///   - arguments: the program's arguments, without those that name it.
    ///   - examples: the end of the `--help` text.
    ///   - run: runs the program and returns its exit status.
    public static func main<Command: ParsableArguments>(
        _ command: Command.Type, _ program: ProgramName, _ arguments: [String], examples: String,
        run: @Sendable (Command) async throws -> ExitCode
    ) async -> Never {
        let name = program.rawValue
        prepare()
        writeManual(of: command, name: name, arguments, appendices: ["": examples])
        let parsed: Command
        do {
            parsed = try Command.parse(arguments)
        } catch {
            if Command.exitCode(for: error).isSuccess {
                let text = Command.fullMessage(for: error)
                let help = fitted(Command.helpMessage(columns: 80)) + "\n\n" + examples
                Console.output(
                    line: asksForCompletions(arguments) || text == ProgramVersion.line(of: name) ? text : help)
                end(name, .done)
            }
            Console.error(line: "\(name): \(clause(Command.message(for: error))); see \(name) --help")
            exit(ExitCode.usage.rawValue)
        }
        await end(name) { try await run(parsed) }
    }

    /// The frame of a program with several commands.
    /// - Parameters:
    ///   - wanted: the type that all runnable commands have in common; any other parsed command prints help, or names no command.
    ///   - arguments: the program's arguments, without those that name it.
    ///   - examples: the ends of the `--help` texts by the command's name; under an empty name, the program's own.
    public static func main<Root: AsyncParsableCommand, Wanted>(
        root: Root.Type, as wanted: Wanted.Type, _ program: ProgramName, _ arguments: [String],
        examples: [String: String],
        run: @Sendable (Wanted) async throws -> ExitCode
    ) async -> Never {
        let name = program.rawValue
        prepare()
        writeManual(of: root, name: name, arguments, appendices: examples)
        let parsed: Wanted
        do {
            var command = try await Root.asyncParseAsRoot(arguments)
            if !(command is Wanted) {
                guard !Set(arguments).isDisjoint(with: ["help", "--help", "-h"]) else {
                    throw ValidationError("no command")
                }
                try command.run()
            }
            guard let known = command as? Wanted else { exit(ExitCode.done.rawValue) }
            parsed = known
        } catch {
            // The message must not contain the arguments, which may hold secrets; only the name of a known command may appear.
            let command = arguments.first { !$0.hasPrefix("-") && $0 != "help" && examples[$0] != nil } ?? ""
            if Root.exitCode(for: error).isSuccess {
                let text = Root.fullMessage(for: error, columns: 80)
                Console.output(
                    line: asksForCompletions(arguments) || text == ProgramVersion.line(of: name)
                        ? text : fitted(text) + "\n\n" + (examples[command] ?? ""))
                end(name, .done)
            }
            let help = ([name] + [command].filter { !$0.isEmpty } + ["--help"]).joined(separator: " ")
            let nearest = nearestCommand(to: arguments, below: root).map { "; did you mean '\($0)'?" } ?? ""
            let place = arguments.first?.hasPrefix("-") == true ? "; options come after the command" : ""
            Console.error(line: "\(name): \(clause(Root.message(for: error)))\(place)\(nearest); see \(help)")
            exit(ExitCode.usage.rawValue)
        }
        await end(name) { try await run(parsed) }
    }

    /// The help text with its usage line wrapped to 80 columns; ArgumentParser prints usage as one line, however long it is.
    static func fitted(_ help: String) -> String {
        help.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
            guard line.hasPrefix("USAGE: "), line.count > 80 else { return [String(line)] }
            // An option and its value stay together.
            var lines = [""]
            for part in line.replacing(" [", with: "\n[").split(separator: "\n") {
                if lines[lines.count - 1].count + part.count >= 80 { lines.append("         ") }
                lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + part
            }
            return lines
        }.joined(separator: "\n")
    }

    /// The command that the user most likely meant by an unknown one; nil where the problem is another.
    static func nearestCommand(to arguments: [String], below root: any ParsableCommand.Type) -> String? {
        var commands = root.configuration.subcommands
        for word in arguments {
            guard !commands.isEmpty, !word.hasPrefix("-") else { return nil }
            let names = commands.map { $0.configuration.commandName ?? "" }
            guard let index = names.firstIndex(of: word) else { return EditDistance.nearest(to: word, among: names) }
            commands = commands[index].configuration.subcommands
        }
        return nil
    }

    /// Whether the user asks for a completion script, or such a script asks for names: the output must contain nothing else.
    private static func asksForCompletions(_ arguments: [String]) -> Bool {
        arguments.contains { $0.hasPrefix("--generate-completion-script") } || arguments.first == "---completion"
    }

    /// Ends the one executable when it acts as none of its programs.
    public static func end(printing text: String) -> Never {
        prepare()
        Console.output(line: text)
        end("longshore", .done)
    }

    /// Ends the one executable when it acts as none of its programs.
    public static func end(_ problem: ProgramError?) -> Never {
        for line in problem?.problems ?? [] { Console.error(line: "longshore: \(line)") }
        end("longshore", problem?.exitCode ?? .done)
    }

    /// Ignores SIGPIPE and SIGXFSZ: a write to a closed reader, or beyond the limit of a file's size (setrlimit(2)), then fails with an
    /// error that the program handles, and does not end the process between two steps.
    private static func prepare() {
        StandardDescriptors.holdClosed()
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    private static func end(_ name: String, _ run: () async throws -> ExitCode) async -> Never {
        do {
            end(name, try await run())
        } catch {
            let problem = Self.problem(error)
            for line in problem.problems { Console.error(line: "\(name): \(line)") }
            end(name, problem.exitCode)
        }
    }

    /// A sentence without its full stop, so that words can follow.
    private static func clause(_ message: String) -> String {
        message.hasSuffix(".") ? String(message.dropLast()) : message
    }

    private static func end(_ name: String, _ code: ExitCode) -> Never {
        TroubleLog.tellAllEnds()
        guard let problem = Console.outputProblem else { exit(code.rawValue) }
        Console.error(
            line: "\(name): standard output cannot be written (\(problem)): the work is done, but results are missing")
        exit(code == .done ? ExitCode.inputOutput.rawValue : code.rawValue)
    }

    /// The program's error for any error.
    static func problem(_ error: any Error) -> ProgramError {
        if let problem = error as? ProgramError { return problem }
        if let error = error as? UploadError { return ProgramError(error) }
        if error is CancellationError { return ProgramError(.interrupted, "interrupted") }
        return ProgramError(.internalError, "unexpected error: \(error); please report it")
    }
}
