import Foundation
import Uploads
import UploadsAPI

extension DashboardPage {
    static let noQueue = empty("No job was ever enqueued. enqueue-upload --to … enqueues the first.")

    /// The queues with most to do, in the order of their names, so that no row moves; the page of queues has all.
    var queues: DashboardPart {
        guard !model.queues.isEmpty else { return Self.card("queues", "Queues", Self.noQueue) }
        let shown = model.queues.map { ($0, DashboardQueueTable.live(in: $0)) }.sorted {
            ($1.1, $0.0.name) < ($0.1, $1.0.name)
        }
        .prefix(Self.listMaximum).map(\.0).sorted { $0.name < $1.name }
        let table = DashboardQueueTable(isBrokerThere: model.isBrokerThere, viewer: viewer, at: model.at)
        return Self.card(
            "queues", "Queues", note: Self.shown(shown.count, of: model.queues.count),
            "\(table.html(of: shown))\(Self.more("All queues", .queues, isNeeded: model.queues.count > shown.count))")
    }

    static let nothing: HTML = "<span class=\"nothing\" aria-label=\"nothing\">–</span>"

    static func cell(_ label: String, _ content: HTML) -> HTML {
        "<td role=\"cell\" class=\"number\" data-label=\"\(label)\"><span>\(content)</span></td>"
    }
}
