import Testing

@testable import UploadSources

@Suite struct ReadBudgetTests {
    @Test(arguments: [
        (0, 1 << 20), (1, 1 << 20), (4, 1 << 20), (5, 512 << 10), (8, 512 << 10), (16, 256 << 10), (64, 64 << 10),
        (1000, 64 << 10),
    ])
    func `many readers get small buffers, few get large ones`(readers: Int, bytes: Int) {
        #expect(ReadBudget.bufferBytes(for: readers) == Int64(bytes))
    }
}
