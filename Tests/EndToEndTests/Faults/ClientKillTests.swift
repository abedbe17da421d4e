import Foundation
import Testing
import UploadTesting

/// An app that is killed again and again receives the outcome of every accepted upload, and no upload waits for ever.
@Suite(.serialized, .timeLimit(.minutes(40))) struct ClientKillTests {
    private static let kills = 100

    @Test func anEmbeddedAppThatIsKilledAHundredTimesHearsOfEveryUpload() async throws {
        let directory = try TemporaryDirectory()
        let stored = directory.file("stored")
        try FileManager.default.createDirectory(at: stored, withIntermediateDirectories: false)
        let app = try ClientKills("embedded", in: directory.url)
        let state = directory.file("state")
        try await app.kill(Self.kills, leavingRecordsIn: state.appending(path: "clients/killed/starting"))
        try app.expectEverythingTold()
        try app.expectArrived(in: stored)
        #expect(try app.copies(in: state) == [])
        let clients = ["starting", "open", "ended"].map { "clients/killed/\($0)" }
        for folder in clients + ["embedded/killed/queue"] {
            #expect(try app.records(in: state.appending(path: folder)) == [], "\(folder)")
        }
    }

    @Test func anAppOverTheBrokerThatIsKilledAHundredTimesHearsOfEveryUpload() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let app = try ClientKills("broker", in: deployment.path, environment: deployment.exampleEnvironment)
            try await app.kill(
                Self.kills, leavingRecordsIn: deployment.staging.appending(path: "clients/killed/starting"))
            try app.expectEverythingTold()
            try app.expectArrived(in: deployment.uploaded)
            #expect(try app.copies(in: deployment.staging) == [])
            for folder in ["starting", "open", "ended"] {
                let records = deployment.staging.appending(path: "clients/killed/\(folder)")
                #expect(try app.records(in: records) == [], "\(folder)")
            }
        }
    }
}
