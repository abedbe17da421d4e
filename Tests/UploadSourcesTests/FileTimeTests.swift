import Foundation
import Glibc
import LinuxFiles
import Testing
import UploadSources
import UploadTesting
import Uploads

/// Files with extreme times: the owner of a file can give it any time, and a job can name any file below a source root.
@Suite(.timeLimit(.minutes(10)))
struct FileTimeTests {
    @Test(arguments: [9_223_372_036, 9_223_372_037, 10_413_792_000, 1 << 34])
    func `a file whose time no number of nanoseconds can hold is read like any other`(seconds: Int) async throws {
        let scratch = try TemporaryDirectory()
        let path = try scratch.write([1, 2, 3], to: "late")
        let time = timespec(tv_sec: seconds, tv_nsec: 999_999_999)
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        #expect(try File.status(of: path).modifiedNanoseconds == .max)
        let job = UploadJob(
            source: .file(path: FilePath(path), identity: FileIdentity()), destination: .url("file:///nowhere"), size: 3
        )
        guard case .claimed(let source) = try await LocalSources(areas: [], roots: [scratch.path]).claim(job) else {
            throw DidNotHappen("the file was to be claimed")
        }
        try await source.verifyUnchanged()
        await source.close()
    }

    @Test func `a time long before 1970 counts as the earliest one`() throws {
        let scratch = try TemporaryDirectory()
        let path = try scratch.write([1], to: "early")
        // Some file systems hold no time before 1901, and store their earliest time instead.
        let time = timespec(tv_sec: -10_413_792_000, tv_nsec: 5)
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        #expect(try File.status(of: path).modifiedNanoseconds < 0)
    }
}
