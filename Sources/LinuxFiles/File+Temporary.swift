import Glibc

extension File {
    /// `O_TMPFILE` of open(2), which Swift's Glibc module lacks.
    private static let nameless: CInt = 0o20_000_000 | O_DIRECTORY

    /// A file for reading and writing that has no name: it ends with its descriptor.
    public static func temporary(in directory: String) throws(SystemError) -> File {
        do throws(SystemError) {
            return try open(directory, nameless | O_RDWR, mode: 0o600)
        } catch {
            // Not every file system supports such files; there the file has a name for a moment.
            guard [EOPNOTSUPP, EISDIR, EINVAL].contains(error.number) else { throw error }
        }
        let path = "\(directory)/longshore-\(UInt64.random(in: 0...(.max)))"
        let file = try open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        guard unlink(path) == 0 else { throw SystemError(call: "unlink", path: path) }
        return file
    }
}
