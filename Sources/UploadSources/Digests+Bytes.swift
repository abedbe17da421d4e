public import Uploads

extension Digests {
    /// SHA-256 and CRC-64/NVME of bytes in memory, such as an inline source's.
    public init(of bytes: some Collection<UInt8>) {
        var digester = FileDigester()
        let contiguous: Void? = bytes.withContiguousStorageIfAvailable { storage in
            digester.update(UnsafeRawBufferPointer(storage)) { _ in }
        }
        if contiguous == nil {
            Array(bytes).withUnsafeBytes { digester.update($0) { _ in } }
        }
        self = digester.finish { _ in }
    }
}
