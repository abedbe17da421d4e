import Testing

@testable import UploadSources

@Suite struct ReadBudgetTests {
    @Test(arguments: [
        (0, 1 << 20), (1, 1 << 20), (8, 1 << 20), (9, 512 << 10), (16, 512 << 10), (17, 256 << 10), (32, 256 << 10),
        (64, 128 << 10), (1000, 128 << 10),
    ])
    func `many readers get small buffers, few get large ones`(readers: Int, bytes: Int) {
        #expect(ReadBudget.bufferBytes(for: readers) == Int64(bytes))
    }
}
