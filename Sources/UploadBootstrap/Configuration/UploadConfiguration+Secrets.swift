import Uploads

extension UploadConfiguration {
    /// Looks for every secret of some sections at once, so that a new user need not find out about them one by one.
    /// - Parameter sections: `brokerPassword`, `destinations` and so on.
    /// - Throws: `configuration` with all that are missing.
    func checkSecrets(of sections: [String]) throws(ProgramError) {
        var problems: [String] = []
        for path in settings.values.keys.sorted() {
            guard sections.contains(where: { path == $0 || path.hasBytePrefix("\($0).") }) else { continue }
            switch ConfigurationKey.find(path.split(separator: ".").map(String.init))?.kind {
            case .secret?, .list(.secret)?: break
            default: continue
            }
            for secret in settings.secrets(path) {
                do throws(ProgramError) {
                    _ = try secret.resolve(environment, key: settings.place(path))
                } catch {
                    problems += error.problems
                }
            }
        }
        if !problems.isEmpty { throw ProgramError(.configuration, problems: problems) }
    }
}
