import UploadNotifier
import UploadSources
import Uploads

/// The metrics of the staging area of a program's host. Several programs may share an area, so its id is a label.
actor StagingMetrics {
    /// Looking at an area costs a call for each of its files.
    static let ageMaximum = Duration.seconds(15)

    private let area: @Sendable () async throws(UploadError) -> StagingArea?
    private var shownAt: ContinuousClock.Instant?
    private let bytes = GaugeFamily("upload_staging_bytes", "area")
    private let freeBytes = GaugeFamily("upload_staging_free_bytes", "area")
    private let capacityBytes = GaugeFamily("upload_staging_capacity_bytes", "area")
    private let outboxJobs = GaugeFamily("upload_outbox_jobs", "area")

    /// - Parameter area: opens the area; nil where there is none (yet).
    init(_ area: @escaping @Sendable () async throws(UploadError) -> StagingArea?) { self.area = area }

    /// Updates the gauges. Call it before the metrics are read.
    func show() async {
        if let shownAt, ContinuousClock.now - shownAt < Self.ageMaximum { return }
        shownAt = .now
        let area = try? await self.area()
        let usage = try? await area?.usage()
        func show(_ family: GaugeFamily, _ figure: (StagingUsage) -> Double) {
            guard let area, let usage else { return family.show([:]) }
            family.show([[area.id]: figure(usage)])
        }
        show(bytes) { Double($0.bytes) }
        show(freeBytes) { Double($0.freeBytes) }
        show(capacityBytes) { Double($0.capacityBytes) }
        show(outboxJobs) { Double($0.outboxCount) }
    }
}
