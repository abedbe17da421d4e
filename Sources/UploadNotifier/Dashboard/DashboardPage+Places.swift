import Foundation
import Uploads
import UploadsAPI

extension DashboardPage {
    // MARK: Delegates

    /// The delegates that are behind or not served come first; the page of delegates has all.
    var delegates: DashboardPart {
        guard !model.delegates.isEmpty else {
            return Self.card("delegates", "Delegates", Self.empty("No delegate is configured or registered."))
        }
        let troubled = model.delegates.filter { !$0.isServed || $0.isPaused || $0.failed > 0 || $0.backlog > 0 }
        let others = model.delegates.filter { delegate in !troubled.contains { $0.name == delegate.name } }
        let shown = (troubled + others).prefix(Self.listMaximum)
        return Self.card(
            "delegates", "Delegates", note: Self.shown(shown.count, of: model.delegates.count),
            """
            <ul class="rows">\(shown.map { DashboardDelegates.row($0, viewer, model.at, isEnabled: model.isBrokerThere) })</ul>\
            \(Self.more("All delegates", .delegates, isNeeded: model.delegates.count > shown.count))
            """)
    }

    // MARK: Destinations

    /// The destinations that fail come first, then those with most to do; the page of destinations has all.
    var destinations: DashboardPart {
        guard !model.destinations.isEmpty else {
            return Self.card("destinations", "Destinations", Self.empty("None is configured, and none was used."))
        }
        let shown = DashboardDestinations.sorted(model.destinations).prefix(Self.listMaximum)
        return Self.card(
            "destinations", "Destinations", note: Self.shown(shown.count, of: model.destinations.count),
            """
            <ul class="rows">\(shown.map { DashboardDestinations.row($0, viewer, model.at) })</ul>\
            \(Self.more("All destinations", .destinations, isNeeded: model.destinations.count > shown.count))
            """)
    }

    // MARK: Dead letters

    var deadLetters: DashboardPart {
        guard model.deadLetters > 0 else {
            return Self.card("dead", "Dead letters", Self.empty("Every message could be read."))
        }
        return Self.card(
            "dead", "Dead letters", note: DashboardText.count(model.deadLetters),
            """
            <p class="text">The notifier keeps messages that it could not read until an operator publishes them again or discards \
            them.</p>\(Self.more("All dead letters", .deadLetters, isNeeded: true))
            """)
    }

    /// The link below a shortened list.
    static func more(_ label: String, _ place: DashboardPlace, isNeeded: Bool) -> HTML? {
        isNeeded ? "<p class=\"more\"><a href=\"\(place.path)\">\(label)</a></p>" : nil
    }
}
