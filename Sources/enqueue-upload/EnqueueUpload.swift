import ArgumentParser
import UploadBootstrap
import Uploads

@main
enum EnqueueUpload {
    static func main() async {
        await Program.main(
            EnqueueUploadCommand.self, name: "enqueue-upload", examples: EnqueueUploadCommand.examples,
            arguments: EnqueueUploadCommand.completed(ByteArguments.all)
        ) { command in
            try await Bootstrap.enqueue(
                try command.request(ByteArguments.all), command.common.input, checkConfig: command.common.checkConfig,
                dryRun: command.dryRun)
        }
    }
}
