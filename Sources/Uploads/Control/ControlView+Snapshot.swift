public import Foundation

extension ControlView {
    /// Everything that the view says, in pieces that are made one at a time; at least one.
    /// - Parameter id: the id of the entry ``ControlEntry/snapshotBegins(_:)``; this must be the view at the entry's
    ///   place in the log.
    public func snapshot(_ id: UUID) -> AnySequence<SnapshotPiece> {
        let size = ControlEntry.jobCountMaximum
        let weight = ControlEntry.workerWeight
        let names = fences.count + pauses.count + stoppedQueues.count + drainedWorkers.names.count * weight
        let count = max(1, (names + size - 1) / size)
        return AnySequence { () -> AnyIterator<SnapshotPiece> in
            var number = 0
            let fences = self.fences.makeIterator()
            let pauses = self.pauses.makeIterator()
            var queues = self.stoppedQueues.makeIterator()
            var workers = self.drainedWorkers.names.makeIterator()
            return AnyIterator {
                guard number < count else { return nil }
                number += 1
                var piece = SnapshotPiece(of: id, number: number, count: count)
                if number == 1 { piece.ledger = ledger }
                var room = size
                while room > 0, let (job, generation) = fences.next() {
                    piece.fences[job] = generation
                    room -= 1
                }
                while room > 0, let (job, generation) = pauses.next() {
                    piece.pauses[job] = generation
                    room -= 1
                }
                while room > 0, let queue = queues.next() {
                    piece.stoppedQueues.insert(queue)
                    room -= 1
                }
                while room >= weight, let worker = workers.next() {
                    piece.drainedWorkers.append(worker)
                    room -= weight
                }
                return piece
            }
        }
    }
}
