import Testing

@testable import UploadNotifier

@Suite struct DashboardListPageTests {
    @Test func `a long list comes in pages, and no page is behind the last`() {
        let list = Array(1...60)
        let pages = [0, 1, 2, 3, 9].map { DashboardListPage(list, number: $0) }
        #expect(pages.map(\.number) == [1, 1, 2, 3, 3] && pages.allSatisfy { $0.count == 3 && $0.total == 60 })
        #expect(pages[2].elements == Array(26...50) && pages[3].elements == Array(51...60))
        #expect(pages[1].links("/x")?.text.contains("href=\"/x?page=2\"") == true)
        #expect(pages[1].links("/x")?.text.contains("Previous") == false)
        let last = pages[3].links("/x", [("text", "a/b")])?.text ?? ""
        #expect(last.contains("/x?text=a%2Fb&amp;page=2") && !last.contains("Next"))
        #expect(pages[0].path("/x") == "/x" && pages[2].path("/x") == "/x?page=2")
    }

    @Test func `a short list has no links`() {
        let none = DashboardListPage([Int](), number: 4)
        #expect(none.number == 1 && none.count == 1 && none.elements.isEmpty && none.links("/x") == nil)
        #expect(DashboardListPage(Array(1...25), number: 1).links("/x") == nil)
    }
}
