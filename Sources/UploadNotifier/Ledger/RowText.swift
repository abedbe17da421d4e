import CZstd
import Foundation
package import GRDB
import Synchronization

/// JSON as the rows of jobs and events have it: compressed, because five sixths of a row's text stand in most other rows as well.
///
/// A compressed row is a byte 1 and a Zstandard frame (RFC 8878) with a checksum, without the frame's magic number, made with the
/// dictionary `rows.dictionary` (`Tests/Performance/train-rows`). The dictionary is a part of the file's format: with another one, rows
/// cannot be read. A row that begins with any other byte is JSON itself: rows from before this format, and rows that an operator wrote.
package enum RowText {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let mark: UInt8 = 1
    /// `ZSTD_MAGICNUMBER` in the frame's byte order.
    private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    /// The most bytes that a row becomes: far more than a message that is accepted can have (``WireLimits/bodyBytesMaximum``).
    private static let bytesMaximum = 64 << 20

    static func stored(_ json: Data) -> Data {
        let room = ZSTD_compressBound(json.count)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { frame in
            let count = json.withUnsafeBytes { source in
                compressors.with { ZSTD_compress2($0, frame.baseAddress, room, source.baseAddress, source.count) }
            }
            let isSmaller = count - magic.count + 1 < json.count
            guard ZSTD_isError(count) == 0, isSmaller || json.first == mark else { return json }
            // The first bytes of the frame, its magic number, give way to the mark.
            frame[magic.count - 1] = mark
            return Data(frame[(magic.count - 1)..<count])
        }
    }

    /// - Throws: ``Failure``.
    static func json(_ stored: Data) throws(Failure) -> Data {
        guard stored.first == mark else { return stored }
        let frame = Data(magic) + stored.dropFirst()
        let size = frame.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        // An error and an unknown size are numbers beyond every bound.
        guard size <= UInt64(bytesMaximum) else { throw Failure(description: "it is no compressed text") }
        var json = Data(count: Int(size))
        let count = json.withUnsafeMutableBytes { target in
            frame.withUnsafeBytes { source in
                decompressors.with {
                    ZSTD_decompressDCtx($0, target.baseAddress, target.count, source.baseAddress, source.count)
                }
            }
        }
        guard ZSTD_isError(count) == 0, count == json.count else {
            throw Failure(description: String(cString: ZSTD_getErrorName(count)))
        }
        return json
    }

    /// `plain(row)` in SQL: the row's JSON as text; NULL if it cannot be read.
    package static let function = DatabaseFunction("plain", argumentCount: 1, pure: true) { values in
        guard let stored = Data.fromDatabaseValue(values[0]), let json = try? json(stored) else { return nil }
        return String(decoding: json, as: UTF8.self)
    }

    /// The resource is base64, so that it is text like all files of the source code.
    private static let dictionary = Array(
        Data(base64Encoded: Data(PackageResources.rows_dictionary), options: .ignoreUnknownCharacters) ?? Data())

    private static let compressors = Contexts {
        let context = ZSTD_createCCtx()
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1)
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0)
        ZSTD_CCtx_loadDictionary(context, dictionary, dictionary.count)
        return context
    }

    private static let decompressors = Contexts {
        let context = ZSTD_createDCtx()
        ZSTD_DCtx_loadDictionary(context, dictionary, dictionary.count)
        return context
    }

    /// Contexts of the library, which are expensive to make and serve one call at a time.
    private final class Contexts: Sendable {
        /// A context is a pointer without a type, which the compiler cannot know to be used by one thread at a time: ``with(_:)`` takes it
        /// out under the lock, and puts it back.
        private struct Free: @unchecked Sendable {
            var contexts: [OpaquePointer] = []
        }

        private let free = Mutex(Free())
        private let make: @Sendable () -> OpaquePointer?

        init(_ make: @escaping @Sendable () -> OpaquePointer?) { self.make = make }

        func with(_ body: (OpaquePointer?) -> Int) -> Int {
            let context = free.withLock { free in free.contexts.popLast() } ?? make()
            defer { if let context { free.withLock { $0.contexts.append(context) } } }
            return body(context)
        }
    }
}
