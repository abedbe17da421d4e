import UploadBootstrap

@main
enum UploadWorkerProgram {
    static func main() async {
        await Program.main(UploadWorkerCommand.self, name: "upload-worker", examples: UploadWorkerCommand.examples) {
            command in
            try await Bootstrap.work(
                command.input, exitWhenIdle: command.exitWhenIdle, checkConfig: command.common.checkConfig)
        }
    }
}
