import Foundation
import Glibc

/// The socket at which the service manager that started this program (systemd) hears of its state: sd_notify(3).
struct ServiceManagerSocket: Sendable {
    /// `$NOTIFY_SOCKET`: a path, or an abstract name behind `@`.
    let address: String
    /// Within this time the manager wants to hear that the program is alive; nil if it does not watch: sd_watchdog_enabled(3).
    let watchdog: Duration?

    /// - Returns: nil for a program that no manager started.
    init?(_ environment: [String: String], process: Int32 = getpid()) {
        guard let address = environment["NOTIFY_SOCKET"], address.hasPrefix("/") || address.hasPrefix("@"),
            address.utf8.count < Self.addressBytesMaximum
        else { return nil }
        self.address = address
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdog = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// The size of `sun_path`: unix(7).
    private static let addressBytesMaximum = 108

    /// Sends lines such as `READY=1`. A manager that does not take them now gets the next ones.
    func send(_ lines: [String]) {
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        let bytes = address.utf8.enumerated().map { $0 == 0 && $1 == UInt8(ascii: "@") ? 0 : $1 }
        withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let text = Array(lines.joined(separator: "\n").utf8)
        withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    descriptor, text, text.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT), $0, size)
            }
        }
    }
}
