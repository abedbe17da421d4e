/// Bytes as lower-case hexadecimal text, two digits each.
public enum Hexadecimal {
    public static func text(of bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            if byte < 16 { text.append("0") }
            text.append(String(byte, radix: 16))
        }
        return text
    }
}
