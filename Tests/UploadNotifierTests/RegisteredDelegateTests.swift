import Testing
import Uploads

@testable import UploadNotifier

@Suite("Delegates of a configuration")
struct RegisteredDelegateTests {
    @Test func `each kind becomes its delegate, with its name and types`() throws {
        let scratch = try Scratch()
        let webhook = WebhookConfiguration(
            url: "https://host.example/hook", secrets: ["whsec_" + String(repeating: "aGVs", count: 8)])
        let kinds: [DelegateConfiguration.Kind] = [
            .webhook(webhook), .log(LogConfiguration(path: scratch.file("events.ndjson"))),
            .queue(QueueConfiguration()),
            .command(CommandConfiguration(path: "/bin/true")),
        ]
        for kind in kinds {
            let delegate = try RegisteredDelegate(
                DelegateConfiguration(name: "a", kind: kind, types: [.failed]), queues: MemoryQueues(), logger: quiet)
            #expect(delegate.name == "a")
            #expect(delegate.route == DeliveryRoute(delegate: "a", kinds: [.failed]))
            switch kind {
            case .webhook: #expect(delegate.delegate is WebhookDelegate)
            case .queue: #expect(delegate.delegate is QueueDelegate)
            case .command: #expect(delegate.delegate is CommandDelegate)
            case .log: #expect(delegate.delegate is LogDelegate)
            }
        }
    }

    @Test(arguments: [[], [EventKind.completed, .started]])
    func `types that are no ends are refused`(types: [EventKind]) throws {
        let scratch = try Scratch()
        let log = DelegateConfiguration.Kind.log(LogConfiguration(path: scratch.file("events.ndjson")))
        let error = #expect(throws: UploadError.self) {
            _ = try RegisteredDelegate(DelegateConfiguration(name: "a", kind: log, types: Set(types)), logger: quiet)
        }
        #expect(error?.code == .misconfigured)
    }
}
