public import Uploads

extension SourceBuffer {
    public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
