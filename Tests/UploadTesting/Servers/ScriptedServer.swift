import Foundation
import Glibc

/// POLLRDHUP of poll(2); Glibc shows it only with _GNU_SOURCE.
private let peerHangUp: Int32 = 0x2000

/// A server on a raw socket that runs a script for each connection, for faults that a proper server does not have.
public final class ScriptedServer: Sendable {
    public let port: Int
    private let listener: CInt

    /// - Parameter script: runs for each connection on a thread of its own; the connection is closed when it returns.
    public init(_ script: @escaping @Sendable (Connection) -> Void) throws {
        listener = try LoopbackSocket.listen(port: 0)
        port = try LoopbackSocket.port(of: listener)
        // A fixed size, which accepted sockets inherit: otherwise the kernel would buffer tens of MiB that no script has read.
        var bytes: CInt = 256 << 10
        setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
        let listener = self.listener
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    // Only this thread closes it: otherwise another listener could get its number, and this thread would accept the
                    // connections of that one.
                    if errno == EINVAL { Glibc.close(listener) }
                    return
                }
                // Otherwise a program that another test starts would inherit the connection and keep it open.
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread {
                    script(Connection(socket: connection))
                    Glibc.close(connection)
                }
            }
        }
    }

    deinit {
        // Wakes accept, which then fails.
        shutdown(listener, CInt(SHUT_RDWR))
    }

    public struct Connection: Sendable {
        let socket: CInt

        /// Reads the request's head, with the empty line.
        public func readHead() -> String {
            var head: [UInt8] = []
            var byte: UInt8 = 0
            while recv(socket, &byte, 1, 0) == 1 {
                head.append(byte)
                // A client may send a long body where the script expects a head.
                if byte == 10, head.suffix(4).elementsEqual([13, 10, 13, 10]) { break }
            }
            return String(decoding: head, as: UTF8.self)
        }

        /// Reads bytes and discards them, unless a closure takes them.
        /// - Returns: the number of bytes read; fewer than requested if the client stopped.
        @discardableResult
        public func read(_ count: Int, _ take: (ArraySlice<UInt8>) -> Void = { _ in }) -> Int {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var done = 0
            while done < count {
                let bytes = recv(socket, &buffer, min(buffer.count, count - done), 0)
                if bytes <= 0 { break }
                take(buffer[..<bytes])
                done += bytes
            }
            return done
        }

        /// Reads and returns bytes; fewer than requested if the client stopped.
        public func readBytes(_ count: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while bytes.count < count {
                let read = recv(socket, &buffer, min(buffer.count, count - bytes.count), 0)
                if read <= 0 { break }
                bytes += buffer[..<read]
            }
            return bytes
        }

        public func write(_ text: String) {
            let bytes = Array(text.utf8)
            _ = send(socket, bytes, bytes.count, CInt(MSG_NOSIGNAL))
        }

        /// Sends an answer with its length and `Connection: close`.
        public func answer(_ status: String, headers: [String] = [], body: String = "") {
            let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
            write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }

        /// Makes closing the connection reset it.
        public func reset() {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        }

        /// Whether the client has hung up within so many milliseconds.
        public func isHungUp(after milliseconds: CInt) -> Bool {
            var event = pollfd(fd: socket, events: Int16(peerHangUp), revents: 0)
            return poll(&event, 1, milliseconds) != 0
        }

        /// Waits until the client's program has read all that was written: the queues of both ends are empty (proc(5), `/proc/net/tcp`).
        public func waitUntilRead() {
            guard let port = try? LoopbackSocket.port(of: socket), let peer = try? LoopbackSocket.peerPort(of: socket)
            else { return }
            let (here, there) = (String(format: ":%04X", port), String(format: ":%04X", peer))
            while !isHungUp(after: 5) {
                let ends = Self.kernelTable.split(separator: "\n").map { $0.split(separator: " ") }
                    .filter { $0.count > 4 }
                let mine = ends.first { $0[1].hasSuffix(here) && $0[2].hasSuffix(there) }
                let other = ends.first { $0[1].hasSuffix(there) && $0[2].hasSuffix(here) }
                if mine?[4].hasPrefix("00000000:") == true, other?[4].hasSuffix(":00000000") == true { return }
            }
        }

        /// The kernel's table of TCP sockets. Foundation would read only its first page.
        private static var kernelTable: String {
            let file = open("/proc/net/tcp", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return "" }
            defer { Glibc.close(file) }
            var table: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(file, &buffer, buffer.count)
                guard count > 0 else { return String(decoding: table, as: UTF8.self) }
                table += buffer[..<count]
            }
        }

        /// Waits until the client has hung up, without reading its bytes.
        public func waitForHangUp() {
            var event = pollfd(fd: socket, events: Int16(peerHangUp), revents: 0)
            _ = poll(&event, 1, 60_000)
        }

        /// Reads the client's bytes until it closes the connection.
        public func waitForClose() { read(.max) }
    }
}
