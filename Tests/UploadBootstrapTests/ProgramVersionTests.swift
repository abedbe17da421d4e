import Testing

@testable import UploadBootstrap

struct ProgramVersionTests {
    @Test func `a program names its version, its commit and its Swift`() throws {
        let line = ProgramVersion.line(of: "uploadctl")
        #expect(
            line.wholeMatch(of: /uploadctl \d+\.\d+\.\d+ \((commit [0-9a-f]{12}\+?, )?Swift \d\.\d.*\)/) != nil,
            "\(line)")
    }
}
