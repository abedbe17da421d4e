import Testing

@testable import RabbitMQ

@Suite struct ConnectionConfigurationTests {
    @Test func `A whole URL is taken apart and decoded`() throws {
        let configuration = try ConnectionConfiguration(urls: ["amqps://us%40er:p%3A%2F%23@mq.example:5999/up%2Floads"])
        #expect(configuration.addresses == [BrokerAddress(host: "mq.example", port: 5999, isTLS: true)])
        #expect(configuration.user == "us@er")
        #expect(configuration.password == "p:/#")
        #expect(configuration.virtualHost == "up/loads")
    }

    @Test func `What is left out has its usual value`() throws {
        for url in ["amqp://localhost", "AMQP://localhost/"] {
            let configuration = try ConnectionConfiguration(urls: [url])
            #expect(configuration.addresses == [BrokerAddress(host: "localhost", port: 5672)])
            #expect(configuration.user == "guest" && configuration.password == "guest")
            #expect(configuration.virtualHost == "/")
        }
        #expect(try ConnectionConfiguration(urls: ["amqps://a"]).addresses.first?.port == 5671)
        #expect(
            try ConnectionConfiguration(urls: ["amqp://[::1]:7/%2F"]).addresses == [BrokerAddress(host: "::1", port: 7)]
        )
    }

    @Test func `Several URLs are hosts of one cluster`() throws {
        let configuration = try ConnectionConfiguration(urls: ["amqp://u:p@a/v", "amqp://b:1", "amqp://u:p@c"])
        #expect(configuration.addresses.map(\.host) == ["a", "b", "c"])
        #expect(configuration.user == "u" && configuration.virtualHost == "v")
        #expect(throws: RabbitMQError.self) { try ConnectionConfiguration(urls: ["amqp://u:p@a", "amqp://v:p@b"]) }
        #expect(throws: RabbitMQError.self) { try ConnectionConfiguration(urls: []) }
    }

    @Test(arguments: [
        "", "localhost", "http://u:secret@h", "amqp://", "amqp://u:secret@", "amqp://u:secret@h:0",
        "amqp://u:secret@h:x",
        "amqp://u:secret@h:70000", "amqp://u:secret@h/a/b", "amqp://u:secret@h/%zz", "amqp://u:secret%@h",
        "amqp://u:secret@::1", "amqp://u:secret@[::1", "amqp://u:secret@[::1]x", "amqp://u:secret@h/v?heartbeat=5",
    ])
    func `A wrong URL is refused with a remedy and without its password`(url: String) {
        let error = #expect(throws: RabbitMQError.self) { try ConnectionConfiguration(urls: [url]) }
        #expect(error?.code == .invalidURL)
        #expect(error.map { String(reflecting: $0).contains("secret") } == false)
        #expect(error?.message.contains("write it as amqp://") == true)
    }

    @Test func `No description shows the password`() throws {
        let configuration = try ConnectionConfiguration(urls: ["amqp://u:secret@h/v"])
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("secret"))
            #expect(text.contains("h"))
        }
    }

    @Test func `Delays grow to the cap, with jitter, and are never nothing`() {
        var generator = SystemRandomNumberGenerator()
        let delay = ReconnectDelay(base: .milliseconds(200), cap: .seconds(10))
        for attempt in [-1, 0, 1, 3, 5, 6, 40, .max] {
            let full = min(.seconds(10), .milliseconds(200) * (1 << min(max(attempt, 0), 20)))
            for _ in 0..<50 {
                let wait = delay.delay(beforeAttempt: attempt, using: &generator)
                #expect(wait >= full * 0.5 && wait <= full)
            }
        }
    }
}
