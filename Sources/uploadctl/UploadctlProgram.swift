import ArgumentParser
import UploadBootstrap

@main
enum UploadctlProgram {
    static func main() async {
        await Program.main(
            root: UploadctlCommand.self, as: (any ControlCommand).self, name: "uploadctl",
            examples: UploadctlCommand.examples
        ) { command in
            try await command.perform()
        }
    }
}
