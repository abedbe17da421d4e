import Foundation
import Testing
import Uploads

@testable import UploadClient

/// Sessions whose files come from the account's destination, without a broker.
@Suite("Sessions of downloads") struct DownloadSessionTests {
    @Test func `source and destination change places, and paths are relative to the account's root`() throws {
        let account = try TransferAccount("archive")
        let download = try TransferDownload("2026/cat.jpg", to: "file:///srv/in/cat")
        let file = TransferSession.File(download)
        let session = TransferSession(account: account, files: [file], direction: .download)
        #expect(file.contentType == "image/jpeg" && file.size == nil)
        let ends = session.ends(of: file, copy: nil)
        guard case .object(let source) = ends.content else { throw DidNotMatch() }
        #expect(source == .named(account.destination, key: "2026/cat.jpg"))
        #expect(ends.destination == .url("file:///srv/in/cat"))
        // The same object as the source of an upload to the account.
        let object = DestinationReference.url("https://store.example/cat.jpg?signature=1")
        let copied = TransferSession.File(path: "cat", object: object, contentType: nil, info: UploadInfo())
        #expect(copied.contentType == "image/jpeg")
        let upload = TransferSession(account: account, files: [copied])
        guard case .object(object) = upload.ends(of: copied, copy: nil).content else { throw DidNotMatch() }
        #expect(upload.ends(of: copied, copy: nil).destination == .named(account.destination, key: "cat"))
    }

    @Test func `sizes become known as the files are looked at, and progress never goes back`() throws {
        var list = SessionList()
        let id = try list.addDownloads("a", "b")
        list.handOver(id)
        let jobs = list.arrangement
        var fractions = [try #require(list[id]?.fractionDone)]
        func hear(_ job: JobID, _ status: UploadStatus, _ done: Int64, of size: Int64?) {
            _ = list.hear(
                UploadUpdate(
                    id: job, status: status, bytesDone: done, bytesTotal: size ?? 0, isSizeKnown: size != nil))
            if let fraction = list[id]?.fractionDone { fractions.append(fraction) }
        }
        hear(jobs[0], .queued, 0, of: nil)
        #expect(list[id]?.files[0].size == nil && list[id]?.bytesTotal == 0)
        hear(jobs[0], .running, 50, of: 100)
        #expect(list[id]?.bytesTotal == 100 && list[id]?.bytesDone == 50)
        let receipt = UploadReceipt(object: StoredObject(location: "a"), response: nil)
        hear(jobs[0], .completed(receipt), 100, of: 100)
        hear(jobs[1], .running, 0, of: 900)
        #expect(list[id]?.bytesTotal == 1000 && list[id]?.bytesDone == 100)
        hear(jobs[1], .running, 450, of: 900)
        hear(jobs[1], .completed(receipt), 900, of: 900)
        #expect(fractions == [0, 0, 0.25, 0.5, 0.5, 0.75, 1])
        #expect(list[id]?.state == .finished)
    }

    @Test func `one that runs again looks again`() throws {
        var list = SessionList()
        let id = try list.addDownloads("a", "b")
        list.handOver(id)
        let jobs = list.arrangement
        _ = list.hear(jobs[0], .completed, size: 7)
        _ = list.hear(jobs[1], .running, bytesDone: 3, size: 9)
        _ = list.hear(jobs[1], .failed, failure: UploadError(.sourceChanged, "it is another one"))
        _ = try list.run(id)
        #expect(list[id]?.files.map(\.size) == [7, nil])
        #expect(list[id]?.files.map(\.state) == [.completed, .waiting])
    }

    @Test func `a session takes only what goes its way`() throws {
        var list = SessionList()
        let upload = try list.add(staysOpen: true)
        let download = TransferSession.File(try TransferDownload("a", to: "file:///a"))
        let refused = #expect(throws: UploadError.self) { try list.add([download], to: upload, .download) }
        #expect(refused?.code == .rejected && refused?.message.contains("takes uploads only") == true)
    }

    @Test func `lists of versions that only knew uploads are read`() throws {
        var list = SessionList()
        let id = try list.add(files: 2)
        var tree = try #require(try JSONSerialization.jsonObject(with: WireJSON.encode(list)) as? [String: Any])
        var sessions = try #require(tree["sessions"] as? [[String: Any]])
        for key in ["direction", "staysOpen"] { #expect(sessions[0].removeValue(forKey: key) != nil) }
        tree["sessions"] = sessions
        let read = try WireJSON.decode(SessionList.self, from: JSONSerialization.data(withJSONObject: tree))
        #expect(read == list && read[id]?.direction == .upload)
    }

    private struct DidNotMatch: Error {}
}
