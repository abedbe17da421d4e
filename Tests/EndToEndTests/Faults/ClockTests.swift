import Foundation
import Testing
import UploadTesting

/// Hosts whose clocks differ by a day.
@Suite(.timeLimit(.minutes(40))) struct ClockTests {
    /// Adds the seconds that `CLOCK_AHEAD` names to the time of day of the program that loads it.
    private static let skew = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <sys/time.h>
        #include <time.h>

        int clock_gettime(clockid_t clock, struct timespec *time) {
            static int (*real)(clockid_t, struct timespec *);
            if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
            int result = real(clock, time);
            if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += atol(getenv("CLOCK_AHEAD"));
            return result;
        }

        int gettimeofday(struct timeval *restrict time, void *restrict zone) {
            struct timespec now;
            int result = clock_gettime(CLOCK_REALTIME, &now);
            time->tv_sec = now.tv_sec;
            time->tv_usec = now.tv_nsec / 1000;
            return result;
        }
        """

    private func environment(in folder: URL, ahead seconds: Int) async throws -> [String: String] {
        let source = folder.appending(path: "skew.c")
        let library = folder.appending(path: "skew.so")
        try Self.skew.write(to: source, atomically: true, encoding: .utf8)
        _ = try await Shell.run("clang", "-shared", "-fPIC", "-o", library.path, source.path, "-ldl")
        return ["LD_PRELOAD": library.path, "CLOCK_AHEAD": String(seconds)]
    }

    @Test func `a worker whose clock is a day ahead fails no job that has an hour, and says that its clock differs`()
        async throws
    {
        let dated = DateFormatter()
        dated.locale = Locale(identifier: "en_US_POSIX")
        dated.timeZone = TimeZone(secondsFromGMT: 0)
        dated.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(10)
            connection.answer("201 Created", headers: ["Date: \(dated.string(from: Date()))"])
        }
        let folder = try TemporaryDirectory()
        try await Deployment.with(
            destinations: ["web: {driver: http, url: 'http://127.0.0.1:\(server.port)/'}"]
        ) { deployment in
            try deployment.start(.notifier)
            let ahead = try deployment.start(
                .worker, environment: try await environment(in: folder.url, ahead: 86_400))
            let file = try deployment.makeFile("ten", bytes: 10)
            _ = try await deployment.enqueue(["--to", "web:", file.path])
            _ = try await deployment.waitForOutcomes(1)
            try await eventually("the worker warns") {
                ahead.errorText.contains("This host's clock and another one differ") && ahead.errorText.contains("86")
            }
            let id = try #require(
                try await deployment.enqueue(["--to", "local:", "--expires-in", "1h", file.path]).first)
            try await eventually("the job waits for a worker that knows the time") {
                let waits = try deployment.queryLedger(
                    "SELECT count(*) FROM events WHERE plain(body) LIKE '%\(id)%' AND plain(body) LIKE '%\"clock\"%'"
                )
                return waits.first != "0"
            }
            let metrics = try await Web.page("http://127.0.0.1:\(try #require(ahead.port))/metrics")
            let skew = metrics.split(separator: "\n").first { $0.hasPrefix("upload_clock_ahead_seconds ") }
            let seconds = try #require(skew.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) })
            #expect(abs(seconds - 86_400) < 120)
            try deployment.start(.worker)
            let outcomes = try await deployment.waitForOutcomes(2)
            #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.completed" })
        }
    }

    @Test func `a job whose time is over ends on the word of the broker's clock`() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let file = try deployment.makeFile("ten", bytes: 10)
            _ = try await deployment.enqueue(["--to", "local:", "--expires-in", "1s", file.path])
            let over = Date() + 2
            try await eventually("the job's time is over") { Date() > over }
            try deployment.start(.worker)
            let outcome = try #require(try await deployment.waitForOutcomes(1).first)
            #expect(outcome["type"] as? String == "upload.failed")
            let error = (outcome["data"] as? [String: Any])?["error"] as? [String: Any]
            #expect(error?["code"] as? String == "expired")
        }
    }
}
