import Dispatch
import Foundation
import Uploads

/// Standard input in pieces of up to 1 MiB, read only when somebody asks. Cancelling the task ends it.
struct StandardInput: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        mutating func next() async throws -> [UInt8]? {
            while true {
                if Task.isCancelled { throw UploadError(.interrupted, "reading standard input was interrupted") }
                // A read cannot be cancelled, so it is begun only when there is something to read.
                switch try await Self.blocking({ Self.isReady }) {
                case false: continue
                case true: return try await Self.blocking(Self.read)
                }
            }
        }

        private static var isReady: Bool {
            var wanted = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            return poll(&wanted, 1, 200) != 0
        }

        @Sendable private static func read() throws -> [UInt8]? {
            while true {
                var count = 0
                let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, filled in
                    count = Foundation.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
                    filled = Swift.max(0, count)
                }
                if count > 0 { return bytes }
                if count == 0 { return nil }
                guard errno == EINTR || errno == EAGAIN else {
                    throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
                }
            }
        }

        private static func blocking<Value: Sendable>(
            _ body: @escaping @Sendable () throws -> Value
        ) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }

    /// - Parameter name: how the command calls it, which is not waited for where there is none.
    static func check(_ name: String) throws(ProgramError) {
        guard StandardDescriptors.inputIsOpen else {
            throw ProgramError(
                .noInput, "\(name): standard input is closed; pipe into it what is to be read, or name a file")
        }
    }

    /// All of it as text, for a manifest.
    static func text() async throws -> String {
        var bytes: [UInt8] = []
        for try await chunk in StandardInput() { bytes += chunk }
        return String(decoding: bytes, as: UTF8.self)
    }
}
