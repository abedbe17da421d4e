import Foundation
import Glibc

/// TCP on the loopback interface.
public enum Loopback {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// A port on which nobody listens at the moment.
    public static func freePort() throws -> Int {
        let (listener, port) = try listen()
        Glibc.close(listener)
        return port
    }

    /// A listening socket on a port of the system's choice.
    static func listen() throws -> (socket: CInt, port: Int) {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port: Int? = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(listener, pointer, length) == 0, Glibc.listen(listener, 64) == 0,
                    getsockname(listener, pointer, &length) == 0
                else { return nil }
                return 0
            }
        }
        guard port != nil else {
            Glibc.close(listener)
            throw Failure(description: "no port of 127.0.0.1 can be had, errno \(errno)")
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Whether somebody listens.
    public static func answers(port: Int) -> Bool {
        let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        defer { Glibc.close(client) }
        var address = address(port: port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(client, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
