import Crypto
import Foundation
import Uploads

/// What is told of a body before it is sent.
struct S3Digest: Hashable, Sendable {
    /// The value of the checksum's header, in base64.
    var checksum: String?
    /// In hexadecimal, where bodies are signed.
    var sha256: String?

    /// The header of an algorithm's value ("Checking object integrity", Amazon S3 User Guide).
    static func header(_ algorithm: S3Configuration.Checksum) -> String? {
        algorithm == .none ? nil : "x-amz-checksum-\(algorithm.rawValue)"
    }

    /// What is known is not read; only an algorithm that nobody took when the file was staged reads the part once more.
    static func of(
        _ part: Part, from source: any UploadSource, _ target: S3Target, algorithm: S3Configuration.Checksum
    ) async throws(UploadError) -> S3Digest {
        let isWhole = part.range == 0..<target.job.size
        let signs = target.configuration.signsPayload
        var crc64nvme: String?
        if algorithm == .crc64nvme {
            let known = try await source.checksum(of: part.range)
            crc64nvme = known?.hexadecimal ?? (isWhole ? target.job.digests.crc64nvme : nil)
        }
        let sha256 = isWhole ? target.job.digests.sha256 : nil
        var reader = Reader(
            needsCRC64NVME: algorithm == .crc64nvme && crc64nvme == nil, needsCRC32C: algorithm == .crc32c,
            needsSHA256: (algorithm == .sha256 || signs) && sha256 == nil)
        try await reader.read(part, of: source)
        crc64nvme = crc64nvme ?? reader.crc64nvme?.hexadecimal
        let hash = sha256 ?? reader.sha256.map { Hexadecimal.text(of: $0.finalize()) }
        let checksum: String? =
            switch algorithm {
            case .crc64nvme: crc64nvme.flatMap(base64)
            case .crc32c: reader.crc32c.map { Data(bigEndian: $0.value).base64EncodedString() }
            case .sha256: hash.flatMap(base64)
            case .none: nil
            }
        return S3Digest(checksum: checksum, sha256: signs ? hash : nil)
    }

    /// The digests of a whole object that an answer tells; a composite one (of the parts' digests) says nothing of the bytes.
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

        init(needsCRC64NVME: Bool, needsCRC32C: Bool, needsSHA256: Bool) {
            if needsCRC64NVME { crc64nvme = CRC64NVME() }
            if needsCRC32C { crc32c = CRC32C() }
            if needsSHA256 { sha256 = SHA256() }
        }

        mutating func read(_ part: Part, of source: any UploadSource) async throws(UploadError) {
            guard crc64nvme != nil || crc32c != nil || sha256 != nil else { return }
            do {
                for try await buffer in source.read(part.range) {
                    buffer.withUnsafeBytes { bytes in
                        crc64nvme?.update(bytes)
                        crc32c?.update(bytes)
                        sha256?.update(bufferPointer: bytes)
                    }
                }
            } catch let error as UploadError {
                throw error
            } catch {
                throw UploadError(.invalidFile, "the source of part \(part.number) cannot be read", cause: error)
            }
        }
    }
}

extension Data {
    fileprivate init(bigEndian value: UInt32) {
        self = Swift.withUnsafeBytes(of: value.bigEndian) { Data($0) }
    }
}
