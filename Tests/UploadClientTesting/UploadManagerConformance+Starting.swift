import Foundation
import Testing
import UploadClient
import UploadTesting
import Uploads

extension UploadManagerConformance {
    static let starting = [
        Rule("a file arrives though its original is deleted at once") { suite in
            let manager = try await suite.open()
            for (name, size) in [("small.jpg", 100), ("large.jpg", 300_000)] {
                let file = try suite.file(name, bytes: size)
                let bytes = Array(try Data(contentsOf: file))
                let handle = try await manager.upload(file, to: "archive:\(name)")
                try FileManager.default.removeItem(at: file)
                let receipt = try await handle.completion
                #expect(receipt.object.size == Int64(size))
                let content = try await suite.rig.content(name)
                #expect(content == bytes)
            }
        },
        Rule("updates begin with what is known and end with the outcome, also for who comes late") { suite in
            let manager = try await suite.open()
            suite.rig.gate.hold()
            let handle = try await manager.upload(try suite.file("a.bin", bytes: 50_000), to: "archive:a.bin")
            var updates = handle.updates.makeAsyncIterator()
            let first = try #require(await updates.next())
            #expect(first.id == handle.id && first.bytesTotal == 50_000 && !first.status.isEnd)
            suite.rig.gate.letGo()
            var last = first
            while let update = await updates.next() {
                #expect(update.bytesDone >= last.bytesDone)
                last = update
            }
            for await update in handle.updates { last = update }
            guard case .completed(let receipt) = last.status else { throw DidNotHappen("completed, not \(last)") }
            #expect(receipt.object.size == 50_000)
            #expect(last.bytesDone == 50_000 && last.fractionDone == 1)
            #expect(handle.latest.status.isEnd)
        },
        Rule("the media type follows from the extension where the caller names none") { suite in
            let manager = try await suite.open()
            let delegate = Told()
            try await manager.setDelegate(delegate)
            let named = try await manager.upload(
                try suite.file("a.jpg"), contentType: "text/x-own", to: "archive:1")
            let byName = try await manager.upload(try suite.file("b.JPG"), to: "archive:2")
            let byKey = try await manager.start(try Upload(.data(Data([1])), to: "archive:c/d.png"))
            let unknown = try await manager.upload(try suite.file("e"), to: "archive:3")
            for handle in [named, byName, byKey, unknown] { _ = try await handle.completion }
            try await eventually("all are told") { delegate.outcomes.count == 4 }
            let types = Dictionary(uniqueKeysWithValues: delegate.outcomes.map { ($0.job.id, $0.job.contentType) })
            #expect(
                [named, byName, byKey, unknown].map { types[$0.id] } == [
                    "text/x-own", "image/jpeg", "image/png", "application/octet-stream",
                ])
        },
        Rule("bytes come from memory, from a data URL and from a sequence") { suite in
            let manager = try await suite.open()
            let large = Data(repeating: 7, count: 100_000)
            let chunks = AsyncThrowingStream<[UInt8], any Error> { input in
                for byte in UInt8(0)..<50 { input.yield(Array(repeating: byte, count: 1000)) }
                input.finish()
            }
            let cases: [(UploadContent, [UInt8])] = [
                (.data(Data("hello".utf8)), Array("hello".utf8)), (.data(large), Array(large)), (.data(Data()), []),
                (.url(try #require(URL(string: "data:text/plain,a%20b%ff"))), Array("a b".utf8) + [0xff]),
                (.url(try #require(URL(string: "data:;base64,aGk="))), Array("hi".utf8)),
                (.bytes(chunks), (UInt8(0)..<50).flatMap { Array(repeating: $0, count: 1000) }),
            ]
            for (index, (content, bytes)) in cases.enumerated() {
                let handle = try await manager.start(try Upload(content, to: "archive:from-\(index)"))
                _ = try await handle.completion
                let arrived = try await suite.rig.content("from-\(index)")
                #expect(arrived == bytes, "case \(index)")
            }
        },
        Rule("what cannot be read is refused at once, and nothing of it is left") { suite in
            let manager = try await suite.open()
            let failing = AsyncThrowingStream<[UInt8], any Error> { input in
                input.yield([1])
                input.finish(throwing: CancellationError())
            }
            let contents: [UploadContent] = [
                .file(suite.scratch.path("missing")), .file(suite.scratch.path), .bytes(failing),
                .url(try #require(URL(string: "data:nothing"))), .url(try #require(URL(string: "ftp://host/a"))),
            ]
            for content in contents {
                await #expect(throws: UploadError.self) {
                    _ = try await manager.start(try Upload(content, to: "archive:never"))
                }
            }
            await #expect(throws: UploadError.self) {
                _ = try await manager.upload(try suite.file("a"), to: "no destination")
            }
            let uploads = try await manager.uploads()
            #expect(uploads.isEmpty)
        },
        Rule("callbacks tell progress and one end, each upload its own") { suite in
            let manager = try await suite.open()
            let ends = Box<[String]>([])
            let files = try (0..<5).map { try suite.file("\($0).bin", bytes: 1000 + $0) }
            for (index, file) in files.enumerated() {
                await manager.start(
                    try Upload(.url(file), to: "archive:\(index).bin"),
                    onProgress: { _, total in if total != Int64(1000 + index) { ends.change { $0.append("mixed") } } },
                    onSuccess: { receipt in ends.change { $0.append("\(index):\(receipt.object.size ?? 0)") } },
                    onError: { failure in ends.change { $0.append("\(failure)") } })
            }
            let refused = await manager.start(
                try Upload(.file(suite.scratch.path("missing")), to: "archive:never"),
                onSuccess: { _ in ends.change { $0.append("mixed") } },
                onError: { failure in ends.change { $0.append("\(failure.reason)") } })
            #expect(refused == nil)
            try await eventually("all have called back") { ends.value.count == 6 }
            #expect(ends.value.sorted() == ["0:1000", "1:1001", "2:1002", "3:1003", "4:1004", "invalidFile"])
        },
        Rule("title, description and metadata travel with the upload") { suite in
            let manager = try await suite.open()
            let delegate = Told()
            try await manager.setDelegate(delegate)
            let info = UploadInfo(title: "Cat", description: "on a mat", metadata: ["album": "pets"])
            let handle = try await manager.upload(try suite.file("cat.jpg"), to: "archive:cat.jpg", info: info)
            _ = try await handle.completion
            try await eventually("it is told") { !delegate.outcomes.isEmpty }
            #expect(
                delegate.outcomes.first?.job.metadata
                    == ["title": "Cat", "description": "on a mat", "album": "pets"])
        },
        Rule("uploads with the same key are one upload") { suite in
            let manager = try await suite.open()
            suite.rig.gate.hold()
            var upload = try Upload(.data(Data("once".utf8)), to: "archive:keyed")
            upload.idempotencyKey = suite.identifier.rawValue
            let first = try await manager.start(upload)
            let second = try await manager.start(upload)
            #expect(first.id == second.id)
            let open = try await manager.uploads()
            #expect(open.count == 1)
            suite.rig.gate.letGo()
            _ = try await first.completion
            _ = try await second.completion
            let third = try await manager.start(upload)
            let receipt = try await third.completion
            #expect(receipt.object.size == 4)
        },
    ]
}
