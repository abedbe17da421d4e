import Foundation
import Glibc
import Testing
import UploadTesting

/// The container image, with all programs.
@Suite(.timeLimit(.minutes(40))) struct ContainerTests {
    @Test func aPoolRunsInTheImageAndItsHealthCheckTellsWhetherAProgramAnswers() async throws {
        let folder = try TemporaryDirectory("packages")
        _ = try await DebianPackage.build("1.0.0", into: folder.url)
        let image = try await ContainerImage.build(from: folder.url)
        let user = image.configuration.user
        #expect(user == "10001:10001" && image.configuration.stopSignal == "SIGTERM")

        try await Deployment.with { deployment in
            let file = try deployment.makeFile("photo.bin", bytes: 300_000)
            _ = try await Shell.run("chown", "-R", user, deployment.path.path)
            let entering = image.entering(sharing: deployment.path, configuration: deployment.configuration)
            /// A program of the image, named by the word behind the entry point.
            let program = entering + image.configuration.entryPoint

            let worker = try deployment.start(.worker, under: program, byName: true)
            let notifier = try deployment.start(.notifier, under: program, byName: true)
            let enqueued = try deployment.start(
                .enqueue, ["--to", "local:", "--wait", file.path], under: program, byName: true)
            #expect(await enqueued.wait() == 0, "\(enqueued.errorText)")
            let arrived = deployment.uploaded.appending(path: "photo.bin")
            #expect(FileManager.default.contentsEqual(atPath: arrived.path, andPath: file.path))
            let owner = try FileManager.default.attributesOfItem(atPath: arrived.path)[.ownerAccountID] as? Int
            #expect(owner == 10001)

            let check = image.configuration.healthCheck.test
            #expect(check.first == "CMD")
            func isHealthy(_ program: RunningProgram) async throws -> Bool {
                let port = try #require(program.port)
                let command = entering + ["env", "LONGSHORE_HEALTH=127.0.0.1/\(port)"] + check.dropFirst()
                return try await Spawn.onThread {
                    try Spawn.run(command[0], Array(command.dropFirst())).output.status == 0
                }
            }
            for program in [worker, notifier] { #expect(try await isHealthy(program), "\(program.name)") }
            // The root file system is read-only, for root, too.
            let touch =
                image.entering(sharing: deployment.path, configuration: deployment.configuration).dropLast()
                + ["0:0", "touch", "/usr/touched"]
            let touched = try await Spawn.onThread { try Spawn.run(touch[0], Array(touch.dropFirst())) }
            #expect(touched.output.status != 0 && touched.errors.contains("Read-only file system"), "\(touched.errors)")

            worker.signal(SIGTERM)
            #expect(await worker.wait() == 0, "\(worker.errorText)")
            #expect(try await isHealthy(worker) == false)
        }
    }
}
