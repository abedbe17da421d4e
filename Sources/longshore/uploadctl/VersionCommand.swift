import ArgumentParser
import UploadBootstrap

struct VersionCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Shows the version, the commit and the Swift of this program.")

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func perform() async throws -> UploadBootstrap.ExitCode {
        if common.checkConfig { return try Bootstrap.checkConfiguration(common.input) }
        Console.output(line: ProgramVersion.line(of: "uploadctl"))
        return .done
    }
}
