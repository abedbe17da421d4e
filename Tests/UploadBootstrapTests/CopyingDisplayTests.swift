import Foundation
import Synchronization
import Testing
import UploadSources
import Uploads

@testable import UploadBootstrap

@Suite struct CopyingDisplayTests {
    @Test func `copies that are made and those under way are counted`() {
        var state = CopyingDisplay.State(of: (files: 3, bytes: 300))
        #expect(state.line(at: 0, columns: 30) == "copied   0%  -- B/s  0/3 files")
        state.note(50, of: 1)
        state.finish(0, bytes: 100)
        #expect(state.line(at: 1, columns: 30).hasPrefix("copied  50%"))
        #expect(state.line(at: 1, columns: 80).hasSuffix("150 B of 300 B  150 B/s  ETA 0:01  1/3 files"))
        state.finish(1, bytes: nil)
        #expect(state.line(at: 2, columns: 80).contains("100 B of 300 B"))
    }

    @Test(arguments: 1...100) func `the line fits`(columns: Int) {
        var state = CopyingDisplay.State(of: (files: 10_000, bytes: 1 << 40))
        state.finish(0, bytes: 1 << 39)
        #expect(state.line(at: 1, columns: columns).count <= columns)
    }

    @Test func `a copy in a directory reports each of its blocks`() async throws {
        let files = try Files()
        let area = try await StagingArea.open(at: "\(files.path)/staging")
        let path = try files.write("large", "")
        #expect(truncate(path, 3 * Int(PartPlan.blockBytes)) == 0)
        let reported = Mutex<[Int64]>([])
        try await CopyObserver.$report.withValue({ bytes in reported.withLock { $0.append(bytes) } }) {
            _ = try await area.stage(fileAt: FilePath(path))
        }
        #expect(reported.withLock { $0 } == (1...3).map { $0 * PartPlan.blockBytes })
    }
}
