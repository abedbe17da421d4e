import Testing

@testable import UploadBootstrap

struct ExitCodeTests {
    @Test func `scripts rely on these numbers`() {
        let expected: [ExitCode: Int32] = [
            .done: 0, .uploadFailed: 1, .usage: 64, .badInput: 65, .noInput: 66, .unavailable: 69, .internalError: 70,
            .inputOutput: 74, .refused: 77, .configuration: 78, .interrupted: 130,
        ]
        #expect(expected.count == ExitCode.allCases.count)
        for code in ExitCode.allCases { #expect(expected[code] == code.rawValue) }
    }

    @Test func `an unforeseen error exits as an internal one, and a cancellation as an interruption`() {
        struct Odd: Error {}
        #expect(Program.problem(Odd()).exitCode == .internalError)
        #expect(Program.problem(CancellationError()).exitCode == .interrupted)
    }
}
