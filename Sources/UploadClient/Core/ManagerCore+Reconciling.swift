import LinuxFiles
import Logging
import UploadSources
import Uploads

/// Finishes the uploads and copies that dead programs left unfinished.
extension ManagerCore {
    /// Accepts the uploads that were being accepted when their programs died, or removes them with their copies;
    /// removes the copies that no upload needs. The next look tries again what fails now.
    func reconcile() async {
        var failed: Set<String> = []
        do throws(UploadError) {
            // Each dead program is locked for this manager until `forget` or `unlock`.
            let dead = try await store.deadPrograms()
            defer { for program in dead { program.file.unlock() } }
            let tokens = Set(dead.map(\.token))
            for upload in try await store.startingUploads() {
                if !tokens.contains(upload.startedBy), try await store.isKnown(upload.startedBy) { continue }
                do throws(UploadError) {
                    try await reconcile(upload)
                } catch {
                    failed.insert(upload.startedBy)
                    log(error)
                }
            }
            for program in dead where !failed.contains(program.token) {
                try await removeCopies(of: program)
                try await store.forget(program)
            }
        } catch {
            log(error)
        }
    }

    private func reconcile(_ upload: ClientUpload) async throws(UploadError) {
        let isKeyed = upload.job.idempotencyKey != nil
        let decision = Reconciliation.decide(
            hasEnded: try await store.hasEnded(upload), isHeld: try await backend.holds(upload.id),
            isWhole: upload.isCut != true, isKeyed: isKeyed)
        switch decision {
        case .forget: try await store.remove(upload.id)
        case .expect: try await store.accepted(upload.id)
        case .accept:
            try await backend.acceptAgain(upload.job)
            try await store.accepted(upload.id)
        case .remove(let withCopy):
            if withCopy { try await copies.remove(upload.job.source) }
            _ = try await store.withdraw(upload.id)
        }
        logger.notice(
            "a program died while an upload was being accepted",
            metadata: ["job": "\(upload.id)", "decision": "\(decision)"])
    }

    /// Removes the copies that the program was staging, unless an upload or an idempotency key names them.
    private func removeCopies(of program: DeadProgram) async throws(UploadError) {
        guard !program.copies.isEmpty else { return }
        var needed: Set<String> = []
        for upload in try await store.uploads() {
            if case .staged(_, let name) = upload.job.source { needed.insert(name) }
        }
        for copy in program.copies where !needed.contains(copy.name) {
            if let id = copy.keyed, case .staged(_, copy.name)? = try await area.keys().job(id)?.source { continue }
            try await copies.removeRemains(of: copy.name)
        }
    }

    private func log(_ error: UploadError) {
        logger.warning(
            "the unfinished work of a program that died cannot be cleaned up now; it is tried again",
            metadata: ["error": "\(error.message)"])
    }
}
