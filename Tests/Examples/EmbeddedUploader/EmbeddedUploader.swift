import ArgumentParser
import Foundation
import UploadClient
import UploadDestinations
import UploadEmbedded
import Uploads

/// Uploads a file without a broker, from this process alone. Stop it in any way, even with `kill -9`, and start it
/// again without a file: it continues the unfinished uploads.
@main
struct EmbeddedUploader: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example-embedded",
        abstract: "Uploads a file to an S3 bucket or to a URL, and goes on after a restart.",
        discussion: """
            Keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or wherever else the AWS tools find them.

            EXAMPLES
              example-embedded movie.mp4 --to bucket:films/movie.mp4 --bucket media --state ~/.uploads
              example-embedded notes.txt --to file:///mnt/backup/notes.txt --state ~/.uploads
              example-embedded --state ~/.uploads --bucket media
            """)

    @Argument(help: "The file to upload; without it, only unfinished uploads continue.")
    var file: String?
    @Option(help: "Where to: bucket:KEY, https://… or file:///…")
    var to: String?
    @Option(help: "A directory for the state of unfinished uploads.")
    var state: String
    @Option(help: "The S3 bucket that is called 'bucket' here.")
    var bucket: String?
    @Option(help: "The S3 server; left out: AWS.")
    var endpoint: String?
    @Option(help: "The bucket's region.")
    var region: String?

    func validate() throws {
        if file != nil, to == nil { throw ValidationError("say where to: --to bucket:KEY, or a URL") }
    }

    func run() async throws {
        // Destinations have names; the credentials stay with them, and are in no file.
        var destinations: [DestinationName: any Destination] = [:]
        if let bucket {
            let region = region ?? "us-east-1"
            destinations[try DestinationName("bucket")] = try S3Destination(
                S3Configuration(endpoint: endpoint, region: region, bucket: bucket),
                credentials: CredentialsChain.aws(
                    environment: ProcessInfo.processInfo.environment, region: region,
                    client: HTTPConfiguration.sharedClient))
        }
        let manager = try await EmbeddedUploadManager(
            try UploadIdentifier("example"), directory: URL(filePath: state),
            destinations: EmbeddedDestinations(destinations))

        // The uploads of an earlier run are under way again already: here they are only followed.
        var handles: [UploadHandle] = []
        for upload in try await manager.uploads() {
            if let handle = try await manager.handle(for: upload.id) { handles.append(handle) }
        }
        if let file, let to {
            // When this returns, the file is copied and the upload is durable.
            handles.append(try await manager.upload(URL(filePath: file), to: to))
        }

        var hasFailed = false
        for handle in handles {
            for await update in handle.updates { print(update) }
            do throws(UploadFailure) {
                print("\(handle.id) lies at \(try await handle.completion.object.location)")
            } catch {
                print("\(handle.id) did not complete: \(error)")
                hasFailed = true
            }
        }
        await manager.close()
        if hasFailed { throw ExitCode.failure }
    }

    private func print(_ update: UploadUpdate) {
        print("\(update.id) \(update.bytesDone) of \(update.bytesTotal) bytes")
    }

    private func print(_ line: String) {
        // Written at once, also to a file.
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
