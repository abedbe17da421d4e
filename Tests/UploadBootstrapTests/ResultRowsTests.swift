import Testing

@testable import UploadBootstrap

struct ResultRowsTests {
    private func text(_ rows: [String], _ form: ResultRows.Form, isWhole: Bool = true) -> String {
        var writer = ResultRows(form)
        return rows.map { writer.text(of: $0) }.joined() + writer.end(isWhole: isWhole)
    }

    @Test func `an array has an element a line`() {
        #expect(text(["{}", "1"], .array) == "[\n{},\n1\n]\n")
        #expect(text(["{}"], .array) == "[\n{}\n]\n")
        #expect(text([], .array) == "[]\n")
    }

    @Test func `an array that broke off is closed only if it was begun`() {
        #expect(text(["1"], .array, isWhole: false) == "[\n1\n]\n")
        #expect(text([], .array, isWhole: false).isEmpty)
    }

    @Test func `lines have no frame`() {
        #expect(text(["{}", "1"], .lines) == "{}\n1\n")
        #expect(text([], .lines).isEmpty)
    }
}
