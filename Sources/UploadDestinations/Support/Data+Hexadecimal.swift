import Foundation

extension Data {
    /// - Returns: nil for a text that is not two hexadecimal digits for each byte.
    init?(hexadecimal text: String) {
        self.init()
        var rest = text[...]
        while !rest.isEmpty {
            let digits = rest.prefix(2)
            guard digits.count == 2, let byte = UInt8(digits, radix: 16) else { return nil }
            append(byte)
            rest = rest.dropFirst(2)
        }
    }
}
