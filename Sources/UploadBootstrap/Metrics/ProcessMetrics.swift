import Foundation
import Glibc
import LinuxFiles
import Metrics
import Synchronization

/// The figures of the process that Prometheus's own client libraries have (`process_*`), and what it was built of.
final class ProcessMetrics: Sendable {
    private let processorSeconds = Mutex(0.0)
    private let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    private let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))

    init() {
        Meter(
            label: "upload_build_info",
            dimensions: [
                ("version", ProgramVersion.number), ("commit", ProgramVersion.commit ?? ""),
                ("swift", ProgramVersion.swift),
            ]
        ).set(1)
    }

    /// Brings the figures up to date.
    func show() {
        if let figures = ProcessFigures(
            stat: Self.text("/proc/self/stat"), system: Self.text("/proc/stat"), ticksPerSecond: ticksPerSecond)
        {
            let more = processorSeconds.withLock { seconds in
                defer { seconds = max(seconds, figures.processorSeconds) }
                return max(0, figures.processorSeconds - seconds)
            }
            FloatingPointCounter(label: "process_cpu_seconds_total").increment(by: more)
            Meter(label: "process_resident_memory_bytes").set(figures.residentPages * page)
            Meter(label: "process_virtual_memory_bytes").set(figures.virtualBytes)
            Meter(label: "process_start_time_seconds").set(figures.startedAt)
        }
        if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            Meter(label: "process_open_fds").set(open)
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            Meter(label: "process_max_fds").set(Double(limit.rlim_cur))
        }
    }

    private static func text(_ path: String) -> String {
        // The line of interrupts in /proc/stat has some kilobytes on large machines.
        String(decoding: (try? File.contents(of: path, atMost: 1 << 20)) ?? [], as: UTF8.self)
    }
}

/// What the kernel says of a process (proc_pid_stat(5), proc_stat(5)).
struct ProcessFigures: Hashable {
    let processorSeconds: Double
    /// Since 1970.
    let startedAt: Double
    let virtualBytes: Int
    let residentPages: Int

    init?(stat: String, system: String, ticksPerSecond: Double) {
        // The name of the program, in parentheses, may have spaces and parentheses of its own. The state behind it is the third field.
        guard let name = stat.lastIndex(of: ")"), ticksPerSecond > 0 else { return nil }
        let fields = stat[stat.index(after: name)...].split(whereSeparator: \.isWhitespace)
        let boot = system.split(separator: "\n").first { $0.hasPrefix("btime ") }?.dropFirst(6)
        guard fields.count > 21, let user = Double(fields[11]), let kernel = Double(fields[12]),
            let started = Double(fields[19]), let virtual = Int(fields[20]), let pages = Int(fields[21]),
            let booted = boot.flatMap({ Double($0) })
        else { return nil }
        processorSeconds = (user + kernel) / ticksPerSecond
        startedAt = booted + started / ticksPerSecond
        virtualBytes = virtual
        residentPages = pages
    }
}
