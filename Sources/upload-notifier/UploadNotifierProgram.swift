import UploadBootstrap

@main
enum UploadNotifierProgram {
    static func main() async {
        await Program.main(
            UploadNotifierCommand.self, name: "upload-notifier", examples: UploadNotifierCommand.examples
        ) { command in
            try await Bootstrap.notify(command.input, checkConfig: command.common.checkConfig)
        }
    }
}
