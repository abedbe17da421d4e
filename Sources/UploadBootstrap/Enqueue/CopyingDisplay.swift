import Foundation
import Synchronization
import UploadSources
import Uploads

/// The line at the foot of a terminal that shows how many of a command's files are copied, and at which rate. A command that copies for less
/// than a second shows none.
final class CopyingDisplay: Sendable {
    private static let patience = Duration.seconds(1)

    /// What the line is made of.
    struct State {
        let filesTotal: Int
        let bytesTotal: Int64
        private var filesDone = 0
        private var bytesDone: Int64 = 0
        /// The bytes of copies that are being made, by their uploads' positions in the plan.
        private var partial: [Int: Int64] = [:]
        private var meter = RateMeter()
        fileprivate var isEnded = false

        /// - Parameter total: the number of files that are copied in all, and their sizes together.
        init(of total: (files: Int, bytes: Int64)) { (filesTotal, bytesTotal) = total }

        mutating func note(_ bytes: Int64, of position: Int) { partial[position] = bytes }

        mutating func finish(_ position: Int, bytes: Int64?) {
            partial[position] = nil
            guard let bytes else { return }
            filesDone += 1
            bytesDone = bytesDone.addingSaturating(bytes)
        }

        /// - Parameter time: seconds on any clock that does not jump.
        mutating func line(at time: TimeInterval, columns: Int) -> String {
            let bytes = partial.values.reduce(bytesDone) { $0.addingSaturating($1) }
            meter.note(bytes, at: time)
            let bar = ProgressBar(
                bytesDone: bytes, bytesTotal: bytesTotal, filesDone: filesDone, filesTotal: filesTotal,
                bytesPerSecond: meter.bytesPerSecond)
            return columns > 20 ? "copied " + bar.line(columns: columns - 7) : bar.line(columns: columns)
        }
    }

    private let state: Mutex<State>
    private let start = ContinuousClock.now

    /// - Parameter total: the number of files that are copied in all, and their sizes together.
    init(of total: (files: Int, bytes: Int64)) { state = Mutex(State(of: total)) }

    /// Makes a copy, and shows how far it is.
    /// - Parameter position: the upload's position in the plan.
    func during(
        _ position: Int, _ copy: () async throws(UploadError) -> StagedFile
    ) async throws(UploadError) -> StagedFile {
        let report: @Sendable (Int64) -> Void = { [weak self] bytes in
            self?.state.withLock { $0.note(bytes, of: position) }
        }
        var result = Result<StagedFile, UploadError>.failure(UploadError(.interrupted, "copying was interrupted"))
        await CopyObserver.$report.withValue(report) {
            do throws(UploadError) { result = .success(try await copy()) } catch { result = .failure(error) }
        }
        finish(position, bytes: (try? result.get())?.size)
        return try result.get()
    }

    /// Notes that a copy is complete.
    /// - Parameter bytes: its size; nil if it could not be made.
    func finish(_ position: Int, bytes: Int64?) { state.withLock { $0.finish(position, bytes: bytes) } }

    /// Draws the line again and again until ``end()``.
    func begin() {
        Task {
            try? await Task.sleep(for: Self.patience)
            while draw() { try? await Task.sleep(for: WaitDisplay.interval) }
        }
    }

    /// - Returns: whether the copies have not ended.
    private func draw() -> Bool {
        // Under the lock, so that nothing is drawn after the end.
        state.withLock { state in
            guard !state.isEnded else { return false }
            Console.draw { columns, _ in [state.line(at: time, columns: columns)] }
            return true
        }
    }

    /// Removes the line for good.
    func end() {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.isEnded = true
            Console.erase()
        }
    }

    private var time: TimeInterval { (ContinuousClock.now - start) / .seconds(1) }
}
