public import Uploads

extension Digests {
    /// The CRC-64/NVME of bytes in memory, such as an inline source's, and on request their SHA-256.
    public init(of bytes: some Collection<UInt8>, sha256: Bool = false) {
        var digester = FileDigester(sha256: sha256)
        let contiguous: Void? = bytes.withContiguousStorageIfAvailable { storage in
            digester.update(UnsafeRawBufferPointer(storage)) { _ in }
        }
        if contiguous == nil {
            Array(bytes).withUnsafeBytes { digester.update($0) { _ in } }
        }
        self = digester.finish { _ in }
    }
}
