import Foundation
import Glibc
import Synchronization

/// Programs that the tests call and that `deploy/install test` installs.
public enum TestProgram {
    /// The path of a program in PATH.
    /// - Throws: `DidNotHappen`, whose message says how to install the program.
    public static func path(_ name: String) throws -> String {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        for directory in directories {
            let path = "\(directory)/\(name)"
            if access(path, X_OK) == 0 { return path }
        }
        throw missing(name)
    }

    /// The path of a Python with these modules.
    /// - Throws: `DidNotHappen`, whose message says how to install the modules.
    public static func python(with modules: String...) async throws -> String {
        let python = try path("python3")
        guard !found.withLock({ $0.contains(modules) }) else { return python }
        let script = "import importlib.util as u, sys; sys.exit(not all(u.find_spec(m) for m in sys.argv[1:]))"
        do {
            try await Spawn.output(of: python, ["-c", script] + modules)
        } catch is DidNotHappen {
            throw missing("a python3 with \(modules.joined(separator: ", "))")
        }
        found.withLock { _ = $0.insert(modules) }
        return python
    }

    /// The lists of modules that were found.
    private static let found = Mutex<Set<[String]>>([])

    /// The path of a script in the folder `Python` beside this file.
    public static func script(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Python/\(name)").path
    }

    private static func missing(_ what: String) -> DidNotHappen {
        DidNotHappen("\(what) is not on the PATH: run deploy/install test, and put .build/python/bin first on the PATH")
    }
}
