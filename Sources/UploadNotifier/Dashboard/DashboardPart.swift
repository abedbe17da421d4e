/// A part of the page: one element, with its `id`. When it has changed, it is sent again as a whole.
struct DashboardPart: Hashable, Sendable {
    var id: String
    var html: HTML

    init(_ id: String, _ html: HTML) {
        self.id = id
        self.html = html
    }
}
