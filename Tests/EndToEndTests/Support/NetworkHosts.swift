import Foundation
import UploadTesting

/// Several hosts on this machine: each has a network of its own and a directory that no other one sees. A switch connects them with the
/// servers of the test, under one address. Everything disappears with the processes that hold the namespaces, however the tests end.
///
/// Needs root; on a machine without it the test fails.
final class NetworkHosts: Sendable {
    /// The address of the servers, as the hosts see it.
    static let server = "10.79.0.1"

    /// A host: runs programs under ``wrapper``.
    struct Host: Sendable {
        fileprivate let holder: GuardedProcess
        /// A command that executes a program in its own place, on this host.
        let wrapper: [String]

        /// The host's own directory or file of this path, as the test can reach it.
        func own(_ path: String) -> URL { URL(filePath: "/proc/\(holder.pid)/root\(path)") }
    }

    private let middle: Host
    let hosts: [Host]
    /// Pass connections on, from the switch to the loopback of this test.
    private let forwarders: [GuardedProcess]
    private let directory: TemporaryDirectory

    /// - Parameters:
    ///   - count: the hosts beside that of the servers.
    ///   - own: existing directories in whose place each host has an empty one of its own.
    ///   - ports: of the servers, on loopback.
    static func make(_ count: Int, own: [String], ports: [Int]) async throws -> NetworkHosts {
        let hosts = try await NetworkHosts(count, own, ports)
        try await hosts.connect(ports)
        return hosts
    }

    private init(_ count: Int, _ own: [String], _ ports: [Int]) async throws {
        directory = try TemporaryDirectory()
        middle = try await Self.host(own: [])
        var made: [Host] = []
        for _ in 0..<count { made.append(try await Self.host(own: own)) }
        hosts = made
        let python = try TestProgram.path("python3")
        let script = TestProgram.script("forward.py")
        let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        var forwarders: [GuardedProcess] = []
        for port in ports {
            let socket = directory.path("\(port)")
            forwarders.append(
                try GuardedProcess(python, [script, socket, "127.0.0.1:\(port)"], environment: environment))
            let inside = middle.wrapper + [python, script, "0.0.0.0:\(port)", socket]
            forwarders.append(
                try GuardedProcess(inside[0], Array(inside.dropFirst()), environment: environment))
        }
        self.forwarders = forwarders
    }

    private static func host(own: [String]) async throws -> Host {
        let mounts = own.map { "mount -t tmpfs tmpfs \"\($0)\" && " }.joined()
        let script = mounts + "ip link set lo up && exec sleep infinity"
        let holder = try GuardedProcess(
            "/usr/bin/unshare", ["--net", "--mount", "--propagation", "private", "sh", "-c", script],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
        let space = "/proc/\(holder.pid)/ns"
        let host = Host(
            holder: holder, wrapper: ["/usr/bin/nsenter", "--net=\(space)/net", "--mount=\(space)/mnt", "--"])
        try await eventually("a host with a network of its own is there, which takes root") {
            guard holder.isRunning else { throw DidNotHappen("this machine refuses networks of our own: run as root") }
            let interfaces = try? await Shell.run(host.wrapper + ["ip", "-o", "link", "show", "lo", "up"])
            return interfaces?.contains("lo:") == true
        }
        return host
    }

    private func connect(_ ports: [Int]) async throws {
        try await ip("link", "add", "switch", "type", "bridge")
        try await ip("addr", "add", "\(Self.server)/24", "dev", "switch")
        try await ip("link", "set", "switch", "up")
        for (number, host) in hosts.enumerated() {
            try await ip(
                "link", "add", "port\(number)", "type", "veth", "peer", "name", "net", "netns", "\(host.holder.pid)")
            try await ip("link", "set", "port\(number)", "master", "switch", "up")
            for arguments in [
                ["addr", "add", "10.79.0.\(number + 2)/24", "dev", "net"], ["link", "set", "net", "up"],
            ] {
                _ = try await Shell.run(host.wrapper + ["ip"] + arguments)
            }
        }
        for host in hosts {
            for port in ports {
                try await eventually("the servers are reached") {
                    let reach = "exec 3<>/dev/tcp/\(Self.server)/\(port) && echo yes"
                    let answer = try? await Shell.run(
                        host.wrapper + ["bash", "-c", "(\(reach)) 2>/dev/null || echo no"])
                    return answer == "yes\n"
                }
            }
        }
    }

    /// Takes the servers' host off the network, or connects it again.
    func setConnected(_ isConnected: Bool) async throws {
        for number in hosts.indices { try await ip("link", "set", "port\(number)", isConnected ? "up" : "down") }
    }

    private func ip(_ arguments: String...) async throws {
        _ = try await Shell.run(middle.wrapper + ["ip"] + arguments)
    }
}
