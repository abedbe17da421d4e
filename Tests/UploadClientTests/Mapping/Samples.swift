import Foundation
import UploadClient
import Uploads

/// Values to convert.
enum Samples {
    static let url = URL(string: "https://bucket.example/4711?signature=s3cret") ?? URL(filePath: "/")
    static let time = Date(timeIntervalSince1970: 1_795_334_400.25)

    static let sessionJSON: JSONValue = [
        "type": "UploadSession", "id": "4711", "url": .string(url.absoluteString),
        "expires": "2026-11-22T08:00:00.250Z",
    ]
    static let session = BridgeUploadSession(id: "4711", url: url, expires: time)

    static func job() -> UploadJob {
        UploadJob(
            source: .inline(Data("abc".utf8)),
            destination: .named(DestinationName(unchecked: "photos"), key: "2026/cat.jpg"), contentType: "image/jpeg",
            size: 3, metadata: ["title": "A cat"], enqueuedAt: time)
    }

    static func completed() -> UploadEvent {
        UploadEvent(
            outcome: .completed(
                StoredObject(location: "https://photos.example/2026/cat.jpg", etag: "\"1\"", size: 3), response: nil),
            of: Baton(job: job()), at: time)
    }
}

/// An application's type in place of `UploadSession`.
struct Ticket: Codable, Equatable {
    var number: String
    var address: URL
    var expires: Date

    static let fields = ["id": "number", "url": "address"]
}

/// A class with objects in its properties.
final class Album: Codable {
    var title: String
    var cover: Ticket?
    var tickets: [Ticket]
    var checked: Date?

    init(title: String, cover: Ticket?, tickets: [Ticket], checked: Date? = nil) {
        self.title = title
        self.cover = cover
        self.tickets = tickets
        self.checked = checked
    }
}
