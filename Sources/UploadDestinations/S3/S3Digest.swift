import Crypto
import Foundation
import Uploads

/// The digests that a request announces before its body is sent.
struct S3Digest: Hashable, Sendable {
    /// The value of the checksum's header, in base64.
    var checksum: String?
    /// The SHA-256 in hexadecimal, where bodies are signed.
    var sha256: String?

    /// The header for an algorithm's value ("Checking object integrity", Amazon S3 User Guide).
    static func header(_ algorithm: S3Configuration.Checksum) -> String? {
        algorithm == .none ? nil : "x-amz-checksum-\(algorithm.rawValue)"
    }

    /// A part ready to be sent.
    struct Prepared {
        let digest: S3Digest
        /// The bytes, which may be read repeatedly.
        let bytes: any AsyncSequence<any SourceBuffer, any Error> & Sendable
    }

    /// Prepares a part. Known digests are used; only an algorithm that was not computed when the file was staged needs a read of the part
    /// before it is sent. Bytes that have to be fetched for it are kept in memory, as far as `kept` has room.
    static func of(
        _ part: Part, from source: any UploadSource, _ target: S3Target, algorithm: S3Configuration.Checksum,
        keeping kept: KeptBytes
    ) async throws(UploadError) -> Prepared {
        let isWhole = part.range == 0..<target.job.size
        let signs = target.configuration.signsPayload
        var crc64nvme: String?
        if algorithm == .crc64nvme {
            crc64nvme = isWhole ? target.job.digests.crc64nvme : nil
            if crc64nvme == nil { crc64nvme = try await source.checksum(of: part.range)?.hexadecimal }
            // A reading for the checksum alone is cheaper than one that hands the bytes over.
            if crc64nvme == nil, !signs { crc64nvme = try await source.readChecksum(of: part.range)?.hexadecimal }
        }
        let sha256 = isWhole ? target.job.digests.sha256 : nil
        var reader = Reader(
            needsCRC64NVME: algorithm == .crc64nvme && crc64nvme == nil, needsCRC32C: algorithm == .crc32c,
            needsSHA256: (algorithm == .sha256 || signs) && sha256 == nil)
        let share = reader.needsBytes && source.isFetched ? kept.share(of: part.size) : nil
        let buffers = try await reader.read(part, of: source, keeps: share != nil)
        crc64nvme = crc64nvme ?? reader.crc64nvme?.hexadecimal
        let hash = sha256 ?? reader.sha256.map { Hexadecimal.text(of: $0.finalize()) }
        let checksum: String? =
            switch algorithm {
            case .crc64nvme: crc64nvme.flatMap(base64)
            case .crc32c: reader.crc32c.map { Data(bigEndian: $0.value).base64EncodedString() }
            case .sha256: hash.flatMap(base64)
            case .none: nil
            }
        let digest = S3Digest(checksum: checksum, sha256: signs ? hash : nil)
        guard let share else { return Prepared(digest: digest, bytes: source.read(part.range)) }
        return Prepared(
            digest: digest,
            bytes: SourceBuffers { number in
                withExtendedLifetime(share) { buffers.indices.contains(number) ? buffers[number] : nil }
            })
    }

    /// The MD5 of a part, in hexadecimal.
    static func md5(of part: Part, from source: any UploadSource) async throws(UploadError) -> String {
        var reader = Reader(md5: Insecure.MD5())
        _ = try await reader.read(part, of: source, keeps: false)
        return Hexadecimal.text(of: (reader.md5 ?? Insecure.MD5()).finalize())
    }

    /// The digests of a whole object in an answer. A composite digest (of the parts' digests) does not describe the object's bytes.
    static func digests(of reply: HTTPReply) -> Digests {
        guard reply.header("x-amz-checksum-type")?.uppercased() != "COMPOSITE" else { return Digests() }
        func hexadecimal(_ name: String, bytes: Int) -> String? {
            guard let data = reply.header(name).flatMap({ Data(base64Encoded: $0) }), data.count == bytes
            else { return nil }
            return Hexadecimal.text(of: data)
        }
        return Digests(
            sha256: hexadecimal("x-amz-checksum-sha256", bytes: 32),
            crc64nvme: hexadecimal("x-amz-checksum-crc64nvme", bytes: 8))
    }

    /// Hexadecimal text as base64.
    static func base64(_ hexadecimal: String) -> String? {
        var data = Data()
        var rest = hexadecimal[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            data.append(byte)
            rest = rest.dropFirst(2)
        }
        return data.base64EncodedString()
    }

    private struct Reader {
        var crc64nvme: CRC64NVME?
        var crc32c: CRC32C?
        var sha256: SHA256?
        var md5: Insecure.MD5?

        init(md5: Insecure.MD5) { self.md5 = md5 }

        init(needsCRC64NVME: Bool, needsCRC32C: Bool, needsSHA256: Bool) {
            if needsCRC64NVME { crc64nvme = CRC64NVME() }
            if needsCRC32C { crc32c = CRC32C() }
            if needsSHA256 { sha256 = SHA256() }
        }

        var needsBytes: Bool { crc64nvme != nil || crc32c != nil || sha256 != nil || md5 != nil }

        /// - Returns: the bytes, if they are to be kept.
        mutating func read(
            _ part: Part, of source: any UploadSource, keeps: Bool
        ) async throws(UploadError) -> [any SourceBuffer] {
            guard needsBytes else { return [] }
            var kept: [any SourceBuffer] = []
            do {
                for try await buffer in source.read(part.range) {
                    if keeps { kept.append(buffer) }
                    buffer.withUnsafeBytes { bytes in
                        crc64nvme?.update(bytes)
                        crc32c?.update(bytes)
                        sha256?.update(bufferPointer: bytes)
                        md5?.update(bufferPointer: bytes)
                    }
                }
            } catch let error as UploadError {
                throw error
            } catch {
                throw UploadError(.invalidFile, "the source of part \(part.number) cannot be read", cause: error)
            }
            return kept
        }
    }
}

extension Data {
    fileprivate init(bigEndian value: UInt32) {
        self = Swift.withUnsafeBytes(of: value.bigEndian) { Data($0) }
    }
}
