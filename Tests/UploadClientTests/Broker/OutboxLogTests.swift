import Foundation
import Logging
import Synchronization
import Testing
import Uploads

@testable import UploadClient
@testable import UploadSources

struct OutboxLogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.all.withLock { $0.append("\(event.level): \(event.message) " + values.joined(separator: " ")) }
        }
    }

    @Test func `a pass that was ended by a failure is told with all that it did, and each warning once`() {
        let lines = Lines()
        let log = OutboxLog(
            spool: "/s", warnings: OutboxWarnings(), logger: Logger(label: "test") { _ in Handler(lines: lines) })
        var pass = Outbox.Pass()
        pass.published = [JobID()]
        pass.setAside = [("0.json.corrupt", "it holds no job")]
        pass.failure = UploadError(.invalidFile, "too many files are open: raise the limit")
        log.tell(pass)
        let first = [
            "info: published from the outbox count=1",
            "error: a file in the outbox holds no job and was set aside file=0.json.corrupt reason=it holds no job",
            "warning: the outbox cannot be worked on; it is tried again error=too many files are open: raise the limit "
                + "spool=/s",
        ]
        #expect(lines.all.withLock { $0 } == first)
        log.tell(pass)
        #expect(lines.all.withLock { $0 } == first + [first[0]])
    }
}
