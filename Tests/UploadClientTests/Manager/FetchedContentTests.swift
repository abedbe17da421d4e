import Foundation
import Testing
import UploadClient
import UploadTesting
import Uploads

@Suite("Content behind a URL", .timeLimit(.minutes(10)))
struct FetchedContentTests {
    private let scratch: TemporaryDirectory

    init() throws { scratch = try TemporaryDirectory("fetched") }

    private func start(_ url: String) async throws -> (RecordingUploadManager, UploadHandle) {
        let manager = try await RecordingUploadManager(try UploadIdentifier("app"), directory: scratch.url)
        do {
            return (
                manager, try await manager.start(try Upload(.url(try #require(URL(string: url))), to: "archive:a"))
            )
        } catch {
            await manager.close()
            throw error
        }
    }

    @Test func `it is fetched when the upload is accepted, with the type that the server names`() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.answer("200 OK", headers: ["Content-Type: image/webp"], body: "the picture")
        }
        let (manager, handle) = try await start("http://127.0.0.1:\(server.port)/a.jpg?signature=secret")
        let content = try await manager.content(of: handle.id)
        #expect(content == Data("the picture".utf8))
        #expect(manager.jobs.map(\.contentType) == ["image/webp"])
        await manager.close()
    }

    @Test(arguments: ["404 Not Found", "503 Service Unavailable"])
    func `what the server does not give is no upload`(_ status: String) async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.answer(status, body: "sorry")
        }
        let error = await #expect(throws: UploadError.self) {
            _ = try await start("http://127.0.0.1:\(server.port)/a.jpg?signature=secret")
        }
        #expect(error?.code == .invalidFile && error?.message.contains("answers \(status.prefix(3))") == true)
        #expect(error?.message.contains("secret") == false)
    }

    @Test func `a redirect is followed, and one that leads nowhere is no upload`() async throws {
        let server = try ScriptedServer { connection in
            switch connection.readHead().split(separator: " ").dropFirst().first {
            case "/a": connection.answer("302 Found", headers: ["Location: b?c=d"])
            case "/b?c=d": connection.answer("200 OK", body: "the picture")
            case "/loop": connection.answer("307 Temporary Redirect", headers: ["Location: /loop"])
            case "/nowhere": connection.answer("301 Moved", headers: ["Location: http://127.0.0.1:99999/"])
            default: connection.answer("302 Found", headers: ["Location: file:///etc/passwd"])
            }
        }
        let place = "http://127.0.0.1:\(server.port)"
        let (manager, handle) = try await start("\(place)/a")
        let content = try await manager.content(of: handle.id)
        #expect(content == Data("the picture".utf8))
        await manager.close()
        for url in ["\(place)/loop", "\(place)/nowhere", "\(place)/inside", "http://127.0.0.1:99999/"] {
            let error = await #expect(throws: UploadError.self) { _ = try await start(url) }
            #expect(error?.code == .invalidFile)
        }
    }

    @Test func `what breaks off is no upload`() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            connection.reset()
        }
        let error = await #expect(throws: UploadError.self) { _ = try await start("http://127.0.0.1:\(server.port)/a") }
        #expect(error?.code == .invalidFile)
        let staged = try scratch.names().filter { !$0.hasPrefix(".") }
        #expect(staged == ["clients"])
    }

    @Test func `a connection that the server closes as the next request comes costs no upload`() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            _ = connection.readHead()
        }
        for _ in 1...3 {
            let (manager, handle) = try await start("http://127.0.0.1:\(server.port)/a")
            let content = try await manager.content(of: handle.id)
            #expect(content == Data("ok".utf8))
            await manager.close()
        }
    }
}
