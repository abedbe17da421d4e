import Testing
import Uploads

@testable import UploadClient

@Suite("Where the broker is") struct BrokerAccessTests {
    @Test func `unusable settings are refused before the client connects, and show no password`() throws {
        let wrong = [
            BrokerAccess(urls: []), BrokerAccess("http://jo:hidden@host"),
            BrokerAccess("amqp://jo:hidden@a/one", "amqp://jo:hidden@b/two"),
            BrokerAccess("amqps://jo:hidden@a", certificateFile: "/certificate.pem"),
        ]
        for access in wrong {
            let error = #expect(throws: UploadError.self) { try access.login(named: "test") }
            #expect(error?.code == .misconfigured)
            #expect(error?.message.contains("hidden") == false)
        }
        #expect(throws: Never.self) { try BrokerAccess("amqps://jo:hidden@a/vhost").login(named: "test") }
    }

    @Test func `it shows neither user nor password`() throws {
        let access = BrokerAccess("amqp://jo:hidden@host/vhost")
        var dumped = ""
        dump(access, to: &dumped)
        for text in ["\(access)", String(reflecting: access), dumped] { #expect(!text.contains("hidden")) }
        #expect(!"\(try access.login(named: "test"))".contains("hidden"))
    }
}
