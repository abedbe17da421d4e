import Foundation
import Testing
import Uploads

@Suite struct SweepReportTests {
    @Test func `all are counted, and the first are listed`() {
        var report = SweepReport(dryRun: false, listed: 700)
        for index in 0..<600 {
            report.add(SweepReport.Item(name: "\(index)", since: Date(), bytes: 2, removed: index % 2 == 0))
        }
        #expect(report.found == 600 && report.removed == 300 && report.bytes == 1200)
        #expect(report.items.count == SweepReport.itemsMaximum)
        let answer = OrderAnswer(order: UUID(), sweep: report)
        #expect(answer.matched == 600 && answer.done == 300)
    }
}
