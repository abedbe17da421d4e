import Foundation
import UploadClient
import Uploads

// The articles' snippets, so that the compiler reads them. `SnippetTests` checks that the two are the same.

enum Snippets {
    static func open() async throws -> any UploadManager {
        let manager = try await BrokerUploadManager(
            UploadIdentifier("photo-app"), broker: BrokerAccess("amqp://app:password@mq.example:5672/uploads"),
            staging: URL(filePath: "/srv/longshore/staging"))
        return manager
    }

    static func start(_ manager: any UploadManager, _ file: URL) async throws -> UploadHandle {
        let handle = try await manager.upload(file, to: "photos:2026/11/cat.jpg", info: UploadInfo(title: "My cat"))
        try FileManager.default.removeItem(at: file)
        return handle
    }

    static func startData(_ manager: any UploadManager) async throws -> UploadHandle {
        var upload = try Upload(.data(Data("hello".utf8)), to: "photos:hello.txt")
        upload.idempotencyKey = "greeting-1"
        let greeting = try await manager.start(upload)
        return greeting
    }

    static func follow(_ handle: UploadHandle) async {
        for await update in handle.updates {
            switch update.status {
            case .running: print("\(Int(update.fractionDone * 100)) %")
            case .waiting(_, let reason, _): print("waits: \(reason ?? "")")
            case .completed(let receipt): print("is at \(receipt.object.location)")
            case .failed(let failure): print("failed: \(failure)")
            case .queued, .paused, .cancelling, .cancelled: break
            }
        }
    }

    static func wait(_ handle: UploadHandle) async throws {
        let receipt = try await handle.completion
        print(receipt.response?.body ?? "no answer")
    }

    static func tell(_ manager: any UploadManager) async throws {
        try await manager.setDelegate(Bookkeeper())
    }

    static func drain(_ manager: any UploadManager) async throws -> Int {
        try await manager.setDelegate(Bookkeeper())
        let count = try await manager.handlePendingEvents()
        print("\(count) outcomes were told")
        await manager.close()
        return count
    }

    static func judge(_ handle: UploadHandle) async {
        do throws(UploadFailure) {
            _ = try await handle.completion
        } catch {
            switch error.reason {
            case .networkFailure, .serverFailure: print("the server was away for too long")
            case .notAuthenticated, .wrongCredentials, .accessDenied: print("the workers may not write there")
            case .invalidFile, .sourceChanged: print("the file cannot be read any more")
            default: print(error.error.message)
            }
        }
    }

    static func encode(_ failure: UploadFailure) throws -> Data {
        let encoded = try JSONEncoder().encode(failure.state)
        return encoded
    }

    static func resume(_ manager: any UploadManager, _ encoded: Data) async throws -> UploadHandle {
        let state = try JSONDecoder().decode(ResumableUpload.self, from: encoded)
        let resumed = try await manager.resume(with: state)
        return resumed
    }

    static func save(_ manager: any UploadManager) async throws -> Data {
        let saved = try JSONEncoder().encode(try await manager.saveExecutingUploads())
        return saved
    }

    static func restore(_ manager: any UploadManager, _ saved: Data) async throws -> [UploadHandle] {
        let uploads = try JSONDecoder().decode(SavedUploads.self, from: saved)
        let handles = try await manager.restoreUploads(from: uploads)
        return handles
    }
}

struct Bookkeeper: UploadDelegate {
    func uploadDidEnd(_ outcome: UploadOutcome) async throws {
        switch outcome.result {
        case .success(let receipt): print("\(outcome.id): \(receipt.object.location)")
        case .failure(let failure): print("\(outcome.id): \(failure.reason)")
        }
    }
}
