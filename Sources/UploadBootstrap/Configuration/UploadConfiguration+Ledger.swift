public import UploadNotifier
import Uploads

extension UploadConfiguration {
    /// Where the notifier's ledger is kept.
    /// - Throws: `configuration` for a URL that cannot be read, or a missing secret.
    public func ledgerPlace() throws(ProgramError) -> LedgerPlace {
        guard LedgerPlace.isURL(notifier.ledger) else { return .file(path: notifier.ledger) }
        let password = try notifier.ledgerPassword?.resolve(environment, key: settings.place("notifier.ledgerPassword"))
        let place = LedgerPlace.postgreSQL(url: notifier.ledger, password: password)
        do throws(UploadError) {
            try place.check()
        } catch {
            throw ProgramError(.configuration, "\(settings.place("notifier.ledger")): \(error.message)")
        }
        return place
    }

    /// The place that an operator names: the notifier's password belongs to the notifier's database alone.
    /// - Parameter directory: where a relative path begins.
    /// - Throws: `configuration` for a URL that cannot be read, or a missing secret.
    func ledgerPlace(named text: String, in directory: String) throws(ProgramError) -> LedgerPlace {
        guard LedgerPlace.isURL(text) else {
            return .file(path: text.hasPrefix("/") ? text : "\(directory)/\(text)")
        }
        if text == notifier.ledger { return try ledgerPlace() }
        let place = LedgerPlace.postgreSQL(url: text, password: nil)
        do throws(UploadError) { try place.check() } catch { throw ProgramError(.configuration, error.message) }
        return place
    }
}
