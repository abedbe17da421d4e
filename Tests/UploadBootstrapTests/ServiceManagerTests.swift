import Foundation
import Glibc
import Logging
import ServiceLifecycle
import Testing
import UploadTesting

@testable import UploadBootstrap

/// What a service manager hears at its socket: sd_notify(3).
struct ServiceManagerTests {
    /// The manager's end of the socket.
    private final class Manager {
        let descriptor: CInt

        init(_ path: String) throws {
            descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(bound == 0)
        }

        deinit { close(descriptor) }

        /// The next message; nil while there is none.
        func message() -> String? {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }

        func message(_ what: String) async throws -> String {
            var found: String?
            try await eventually(what) {
                found = self.message()
                return found != nil
            }
            return try #require(found)
        }
    }

    private func reports(_ path: String, _ readiness: Readiness, watchdog: String? = nil) throws -> ServiceGroup {
        var environment = ["NOTIFY_SOCKET": path]
        environment["WATCHDOG_USEC"] = watchdog
        let socket = try #require(ServiceManagerSocket(environment))
        let reports = ServiceManagerReports(socket: socket, readiness: readiness, grace: .seconds(25))
        return ServiceGroup(
            configuration: .init(
                services: [.init(service: reports, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    }

    @Test func `it hears that the program is ready once it is, why it is not, and how long a stop may take`()
        async throws
    {
        let files = try Files()
        let path = "\(files.path)/notify"
        let manager = try Manager(path)
        let readiness = Readiness()
        readiness.set("no broker")
        let group = try reports(path, readiness)
        let running = Task { try await group.run() }
        #expect(try await manager.message("a state") == "STATUS=not ready: no broker")
        readiness.set { nil }
        #expect(try await manager.message("readiness") == "READY=1\nSTATUS=ready")
        readiness.set("the broker is\nlost")
        #expect(try await manager.message("another state") == "STATUS=not ready: the broker is lost")
        readiness.set { nil }
        #expect(try await manager.message("the state after that") == "STATUS=ready")
        await group.triggerGracefulShutdown()
        #expect(try await manager.message("the stop") == "EXTEND_TIMEOUT_USEC=45000000\nSTATUS=stopping")
        try await running.value
    }

    @Test func `a manager that watches hears signs of life`() async throws {
        let files = try Files()
        let path = "\(files.path)/notify"
        let manager = try Manager(path)
        let readiness = Readiness()
        readiness.set("no broker")
        let group = try reports(path, readiness, watchdog: "300000")
        let running = Task { try await group.run() }
        var signs = 0
        while signs < 3 { if try await manager.message("a sign of life") == "WATCHDOG=1" { signs += 1 } }
        await group.triggerGracefulShutdown()
        try await running.value
    }

    @Test func `a program reports only to a manager that started it and watches it`() {
        #expect(ServiceManagerSocket([:]) == nil)
        #expect(ServiceManagerSocket(["NOTIFY_SOCKET": "vsock:2:1"]) == nil)
        #expect(ServiceManagerSocket(["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 108)]) == nil)
        let watched = ["NOTIFY_SOCKET": "@abstract", "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "17"]
        #expect(ServiceManagerSocket(watched, process: 17)?.watchdog == .seconds(60))
        #expect(ServiceManagerSocket(watched, process: 18)?.watchdog == nil)
        #expect(ServiceManagerSocket(watched.merging(["WATCHDOG_USEC": "-1"]) { $1 }, process: 17)?.watchdog == nil)
    }
}
