import Foundation
import Glibc
package import LinuxFiles

extension Directory {
    /// Writes a small file of mode 0640 under a temporary name, flushes it, and renames it, in place of a file that has the name. The
    /// name is durable after ``LinuxFiles/Directory/synchronize()``.
    package func replace(_ name: String, with bytes: [UInt8]) throws(SystemError) {
        try write(bytes, for: name) { temporary throws(SystemError) in try rename(temporary, to: name) }
    }

    /// Does the same, but leaves an existing file of this name as it is.
    /// - Returns: false if there is one.
    package func create(_ name: String, with bytes: [UInt8]) throws(SystemError) -> Bool {
        var isCreated = false
        try write(bytes, for: name) { temporary throws(SystemError) in
            isCreated = try renameWithoutReplacing(temporary, to: name)
            if !isCreated { try remove(temporary) }
        }
        return isCreated
    }

    private func write(
        _ bytes: [UInt8], for name: String, _ place: (_ temporary: String) throws(SystemError) -> Void
    ) throws(SystemError) {
        let temporary = ".\(name).\(UUID().uuidString.lowercased()).partial"
        do throws(SystemError) {
            let file = try open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o640)
            try file.setMode(0o640)
            try file.write(bytes, at: 0)
            try file.synchronize()
            try place(temporary)
        } catch {
            try? remove(temporary)
            throw error
        }
    }
}
