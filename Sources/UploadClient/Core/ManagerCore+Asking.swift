import Logging
import Uploads

/// Asks the notifier about followed uploads whose events this program may have missed: once after each gap, and once
/// for each upload that this program begins to follow while it is under way. Without an answer nothing changes until
/// the next gap.
extension ManagerCore {
    /// Uploads in one request. A notifier reads as many from its ledger in some milliseconds.
    private static let askedCountMaximum = 250

    /// Asks about all followed uploads, because events may have been missed. A request that is under way is dropped and
    /// repeated, because its answer may be lost.
    func askForAll() {
        asking?.cancel()
        asking = nil
        toAsk = Array(followed.keys)
        askForNoted()
    }

    /// Asks about the uploads in ``toAsk``. Uploads that are added meanwhile come next.
    func askForNoted() {
        // The end of an upload that was just taken up may already be known.
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

    /// - Returns: nil when no upload is left to ask about, and when a later request has replaced this one.
    private func nextToAsk(_ number: Int) -> [JobID]? {
        guard number == askingNumber, asking?.isCancelled == false else { return nil }
        let ids = Array(toAsk.prefix(Self.askedCountMaximum))
        toAsk.removeFirst(ids.count)
        if ids.isEmpty { asking = nil }
        return ids.isEmpty ? nil : ids
    }

    /// Drops the rest, because no notifier answers: after the next gap all uploads are asked about again.
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
            logger.debug("cannot ask for the state of uploads now", metadata: ["error": "\(error.message)"])
            return false
        }
    }
}
