import Foundation

/// MD5 written by RFC 1321, slow and without any code under test: test stores check `Content-MD5` with it.
public enum ReferenceMD5 {
    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    private static let sines = (0..<64).map { UInt32(abs(sin(Double($0 + 1))) * 4_294_967_296) }

    public static func base64(_ bytes: [UInt8]) -> String { Data(digest(bytes)).base64EncodedString() }

    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var message = bytes + [0x80]
        while message.count % 64 != 56 { message.append(0) }
        let bits = UInt64(bytes.count) * 8
        message += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
        var (a0, b0, c0, d0): (UInt32, UInt32, UInt32, UInt32) = (0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476)
        for start in stride(from: 0, to: message.count, by: 64) {
            let words = (0..<16).map { word in
                (0..<4).reduce(UInt32(0)) { $0 | UInt32(message[start + word * 4 + $1]) << UInt32(8 * $1) }
            }
            var (a, b, c, d) = (a0, b0, c0, d0)
            for step in 0..<64 {
                var mixed: UInt32
                let word: Int
                switch step / 16 {
                case 0: (mixed, word) = ((b & c) | (~b & d), step)
                case 1: (mixed, word) = ((d & b) | (~d & c), (5 * step + 1) % 16)
                case 2: (mixed, word) = (b ^ c ^ d, (3 * step + 5) % 16)
                default: (mixed, word) = (c ^ (b | ~d), (7 * step) % 16)
                }
                mixed = mixed &+ a &+ sines[step] &+ words[word]
                (a, d, c) = (d, c, b)
                let shift = shifts[step / 16][step % 4]
                b = b &+ (mixed << shift | mixed >> (32 - shift))
            }
            (a0, b0, c0, d0) = (a0 &+ a, b0 &+ b, c0 &+ c, d0 &+ d)
        }
        return [a0, b0, c0, d0].flatMap { value in
            (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
        }
    }
}
