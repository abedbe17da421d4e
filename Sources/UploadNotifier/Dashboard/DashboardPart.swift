/// A part of the page that is sent anew, as a whole, when it has changed: one element whose `id` names it.
struct DashboardPart: Hashable, Sendable {
    var id: String
    var html: HTML

    init(_ id: String, _ html: HTML) {
        self.id = id
        self.html = html
    }
}
