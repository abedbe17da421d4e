extension Settings {
    /// The paths of a program's keys whose values differ from earlier ones, and that the running program does not take over: they count from its
    /// next start on.
    /// - Parameter takesOver: whether the running program has taken over the new value of a key.
    func changesToCome(
        since old: Settings, in program: ProgramName, takesOver: (ConfigurationKey) -> Bool
    ) -> [String] {
        Set(values.keys).union(old.values.keys).filter { path in
            guard values[path]?.value.items != old.values[path]?.value.items,
                let key = ConfigurationKey.find(path.split(separator: ".").map(String.init))
            else { return false }
            return key.programs.contains(program) && !takesOver(key)
        }.sorted()
    }
}
