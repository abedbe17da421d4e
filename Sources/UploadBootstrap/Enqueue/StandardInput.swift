import Dispatch
import Foundation
import Uploads

/// The bytes of standard input, or of another open descriptor, in pieces of up to 1 MiB, read only on demand. Cancelling the task ends
/// the sequence.
struct StandardInput: AsyncSequence, Sendable {
    var descriptor: CInt = STDIN_FILENO

    struct AsyncIterator: AsyncIteratorProtocol {
        let descriptor: CInt

        mutating func next() async throws -> [UInt8]? {
            while true {
                if Task.isCancelled { throw UploadError(.interrupted, "reading standard input was interrupted") }
                // A read cannot be cancelled, so it begins only when bytes are ready.
                switch try await Self.blocking({ [descriptor] in Self.isReady(descriptor) }) {
                case false: continue
                case true: return try await Self.blocking { [descriptor] in try Self.read(descriptor) }
                }
            }
        }

        private static func isReady(_ descriptor: CInt) -> Bool {
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&wanted, 1, 200) != 0
        }

        private static func read(_ descriptor: CInt) throws -> [UInt8]? {
            while true {
                var count = 0
                let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, filled in
                    count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
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

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(descriptor: descriptor) }

    /// Refuses a closed standard input before the command waits for it.
    /// - Parameter name: the argument that stands for standard input, for the message.
    static func check(_ name: String) throws(ProgramError) {
        guard StandardDescriptors.inputIsOpen else {
            throw ProgramError(
                .noInput, "\(name): standard input is closed; pipe the input into it, or name a file")
        }
    }
}
