import Testing

@testable import UploadBootstrap

struct ProgramCallTests {
    @Test(
        arguments: [
            (["/usr/bin/upload-worker", "--queue", "video"], .program(.uploadWorker, skipped: 1)),
            (["enqueue-upload"], .program(.enqueueUpload, skipped: 1)),
            (["./longshore", "notifier", "--help"], .program(.uploadNotifier, skipped: 2)),
            (["longshore", "uploadctl", "jobs"], .program(.uploadctl, skipped: 2)),
            (["longshore-0.3", "ctl"], .program(.uploadctl, skipped: 2)),
            (["uploadctl", "worker"], .program(.uploadctl, skipped: 1)),
            (["longshore", "--help"], .help), (["longshore", "--version"], .version),
            (["longshore"], .unknown(nil)), ([], .unknown(nil)), (["longshore", "wrker"], .unknown("wrker")),
        ] as [([String], ProgramCall)])
    func `the executable's name or its first argument names the program`(arguments: [String], call: ProgramCall) {
        #expect(ProgramCall(arguments) == call)
    }

    @Test(
        arguments: [
            ("wrker", "there is no program 'wrker'; did you mean 'worker'?; see longshore --help"),
            (nil, "no program is named: expected enqueue, worker, notifier, ctl; see longshore --help"),
            (
                "amqp://jo:hunter2@mq",
                "the first argument names the program: expected enqueue, worker, notifier, ctl; see longshore --help"
            ),
        ] as [(String?, String)])
    func `a call that names no program says which there are, and shows no secret`(word: String?, text: String) {
        let problem = ProgramCall.unknown(word).problem
        #expect(problem?.problems == [text] && problem?.exitCode == .usage)
    }
}
