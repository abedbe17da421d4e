import ArgumentParser
import Testing

@testable import UploadBootstrap

struct ProgramTests {
    private struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "tool", subcommands: [Queue.self, Watch.self])
    }

    private struct Queue: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "queue", subcommands: [Stop.self])
    }

    private struct Stop: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "stop")
        @Argument var name: String
    }

    private struct Watch: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "watch")
    }

    @Test(
        arguments: [
            (["wacth"], "watch"), (["queue", "stpo", "x"], "stop"), (["queue", "stop", "wacth"], nil), (["--x"], nil),
            (["entirely"], nil), ([], nil),
        ] as [([String], String?)])
    func `a mistyped command is told from a mistyped name`(arguments: [String], meant: String?) {
        #expect(Program.nearestCommand(to: arguments, below: Root.self) == meant)
    }

    @Test func `usage is broken between options, and nothing else is touched`() {
        let long = String(repeating: "x", count: 100)
        let options = (0..<9).map { "[--option-\($0) <value> ...]" }.joined(separator: " ")
        let lines = Program.fitted("\(long)\nUSAGE: tool \(options)\n").split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first.map(String.init) == long)
        #expect(lines.dropFirst().allSatisfy { $0.count <= 80 })
        #expect(lines.dropFirst(2).dropLast().allSatisfy { $0.hasPrefix("          [--option") })
        #expect(lines.dropFirst().joined().split(separator: "[").count == 10)
    }
}
