extension String {
    /// The text's beginning, at most `bytesMaximum` bytes. A character of Unicode may have any number of bytes, so
    /// counting characters bounds nothing.
    package func utf8Prefix(_ bytesMaximum: Int) -> String {
        guard utf8.count > bytesMaximum else { return self }
        let mark = "…"
        var end = utf8.index(startIndex, offsetBy: max(0, bytesMaximum - mark.utf8.count))
        // Not in the middle of a code point.
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end]) + mark
    }

    /// The text's beginning, at most `maximum` code points, which is what JSON Schema counts.
    package func codePointPrefix(_ maximum: Int) -> String {
        guard utf8.count > maximum, unicodeScalars.count > maximum else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(max(0, maximum - 1)))) + "…"
    }
}
