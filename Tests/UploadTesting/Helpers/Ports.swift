import Glibc
import Synchronization

/// Free TCP ports on loopback.
public enum Ports {
    /// Below the ports that the kernel assigns to connections (`net.ipv4.ip_local_port_range`): it could assign one of those between the
    /// check and the listening.
    private static let range = 10_000..<30_000
    private static let given = Mutex<Set<Int>>([])

    /// A port that was free a moment ago; no other call in this process returns it again.
    public static func free() throws -> Int {
        while true {
            let port = Int.random(in: range)
            guard given.withLock({ $0.insert(port).inserted }) else { continue }
            do {
                close(try LoopbackSocket.listen(port: port))
                return port
            } catch let failure as LoopbackSocket.Failure where failure.number == EADDRINUSE {
                continue
            }
        }
    }

    /// Whether a program listens on the port.
    public static func isOpen(_ port: Int) -> Bool {
        guard let descriptor = try? LoopbackSocket.connect(port: port) else { return false }
        close(descriptor)
        return true
    }
}

/// The few socket calls that the fixtures need, on 127.0.0.1.
enum LoopbackSocket {
    struct Failure: Error, CustomStringConvertible {
        let call: String
        let number: CInt
        var description: String { "\(call) failed: \(String(cString: strerror(number)))" }
    }

    static func listen(port: Int) throws -> CInt {
        let descriptor = try make()
        var one: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
        guard withAddress(port, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 64) == 0 else {
            defer { close(descriptor) }
            throw Failure(call: "listen", number: errno)
        }
        return descriptor
    }

    static func connect(port: Int) throws -> CInt {
        let descriptor = try make()
        guard withAddress(port, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
            defer { close(descriptor) }
            throw Failure(call: "connect", number: errno)
        }
        return descriptor
    }

    static func port(of descriptor: CInt) throws -> Int {
        try port("getsockname") { getsockname(descriptor, $0, $1) }
    }

    static func peerPort(of descriptor: CInt) throws -> Int {
        try port("getpeername") { getpeername(descriptor, $0, $1) }
    }

    private static func port(
        _ call: String, _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) throws -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &length) }
        }
        guard status == 0 else { throw Failure(call: call, number: errno) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func make() throws -> CInt {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        return descriptor
    }

    private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
