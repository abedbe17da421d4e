/// A page of a list that the notifier has as a whole: long lists make no long pages.
struct DashboardListPage<Element: Sendable>: Sendable {
    /// Elements on a page.
    static var size: Int { 25 }

    let elements: [Element]
    /// From 1. A page behind the last is the last one: the list may have become shorter.
    let number: Int
    /// Pages of the list, at least 1.
    let count: Int
    /// Elements of the list.
    let total: Int

    init(_ list: [Element], number: Int) {
        total = list.count
        count = max(1, (list.count + Self.size - 1) / Self.size)
        self.number = min(max(1, number), count)
        elements = Array(list.dropFirst((self.number - 1) * Self.size).prefix(Self.size))
    }

    /// The address of this page.
    /// - Parameter query: what is asked besides the number.
    func path(_ path: String, _ query: [(String, String)] = []) -> String { self.path(path, query, number: number) }

    /// The links to the pages beside this one; nil where the list has one page.
    func links(_ path: String, _ query: [(String, String)] = []) -> HTML? {
        guard count > 1 else { return nil }
        func link(_ label: String, to number: Int) -> HTML? {
            guard (1...count).contains(number) else { return nil }
            return "<a href=\"\(self.path(path, query, number: number))\">\(label)</a> "
        }
        return """
            <p class="more">\(link("Previous", to: number - 1))\(link("Next", to: number + 1))\
            <span class="note">page \(number) of \(count)</span></p>
            """
    }

    private func path(_ path: String, _ query: [(String, String)], number: Int) -> String {
        let query = query + (number > 1 ? [("page", "\(number)")] : [])
        return query.isEmpty ? path : "\(path)?\(DashboardText.query(query))"
    }
}
