import Logging
import Uploads

/// What was missed of followed uploads is asked for: once after each gap, and once for those that this program begins to follow while
/// they are under way. Without an answer all is as before, until the next gap.
extension ManagerCore {
    /// Uploads in one question. A notifier reads as many from its ledger in some milliseconds.
    private static let askedCountMaximum = 250

    /// Something may have been missed. The answer to what is being asked may be lost: it is asked anew.
    func askForAll() {
        asking?.cancel()
        asking = nil
        toAsk = Array(followed.keys)
        askForNoted()
    }

    /// Asks for those that are noted in ``toAsk``; what is noted meanwhile comes next.
    func askForNoted() {
        // The end of one that was just taken up may be known.
        toAsk.removeAll { followed[$0] == nil }
        guard asking == nil, !toAsk.isEmpty else { return }
        askingNumber += 1
        let number = askingNumber
        asking = Task { [weak self] in
            while let ids = await self?.nextToAsk(number) {
                guard await self?.ask(ids) == true else {
                    await self?.giveUpAsking(number)
                    return
                }
            }
        }
    }

    /// - Returns: nil when nothing is left to be asked for, and when it is asked anew.
    private func nextToAsk(_ number: Int) -> [JobID]? {
        guard number == askingNumber, asking?.isCancelled == false else { return nil }
        let ids = Array(toAsk.prefix(Self.askedCountMaximum))
        toAsk.removeFirst(ids.count)
        if ids.isEmpty { asking = nil }
        return ids.isEmpty ? nil : ids
    }

    /// Nothing answers: the rest is asked for after the next gap, with all others.
    private func giveUpAsking(_ number: Int) {
        guard number == askingNumber else { return }
        asking = nil
        toAsk = []
    }

    /// - Returns: whether there was an answer.
    private func ask(_ ids: [JobID]) async -> Bool {
        do throws(UploadError) {
            guard let reports = try await backend.reports(of: ids) else { return false }
            for (id, report) in reports { followed[id]?.learn(report) }
            return true
        } catch {
            logger.debug("how uploads stand cannot be asked now", metadata: ["error": "\(error.message)"])
            return false
        }
    }
}
