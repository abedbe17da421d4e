/// Media types by file name.
public enum ContentType {
    public static let unknown = "application/octet-stream"

    /// The media type that the name's extension stands for.
    public static func of(name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return unknown }
        return table[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    /// Why a text is no media type (RFC 9110, section 8.3.1); nil if it is one.
    public static func problem(_ text: String) -> String? {
        if let problem = ObjectProperties.problem(headerValue: text) { return problem }
        // A token is that of RFC 9110, section 5.6.2; a parameter may be quoted, or left out.
        let type = #/[\w!#$%&'*+.^`|~-]+/[\w!#$%&'*+.^`|~-]+/#.asciiOnlyWordCharacters()
        let parameters = #/(?:[ \t]*;[ \t]*(?:[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))?)*/#
            .asciiOnlyWordCharacters()
        let isType = text.prefixMatch(of: type).map { text[$0.range.upperBound...].wholeMatch(of: parameters) != nil }
        return isType == true ? nil : "expected a media type such as text/plain or text/html; charset=utf-8"
    }

    private static let table = [
        "7z": "application/x-7z-compressed", "aac": "audio/aac", "avi": "video/x-msvideo", "avif": "image/avif",
        "bmp": "image/bmp", "bz2": "application/x-bzip2", "css": "text/css", "csv": "text/csv",
        "doc": "application/msword", "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "gz": "application/gzip", "heic": "image/heic", "htm": "text/html", "html": "text/html",
        "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript", "json": "application/json", "m4a": "audio/mp4", "m4v": "video/x-m4v",
        "md": "text/markdown", "mid": "audio/midi", "mjs": "text/javascript", "mkv": "video/x-matroska",
        "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg",
        "mpg": "video/mpeg", "ndjson": "application/x-ndjson", "oga": "audio/ogg", "ogg": "audio/ogg",
        "ogv": "video/ogg", "opus": "audio/opus", "otf": "font/otf", "parquet": "application/vnd.apache.parquet",
        "pdf": "application/pdf", "png": "image/png", "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "rtf": "application/rtf", "sql": "application/sql", "svg": "image/svg+xml", "tar": "application/x-tar",
        "tgz": "application/gzip", "tif": "image/tiff", "tiff": "image/tiff", "toml": "application/toml",
        "ts": "video/mp2t", "tsv": "text/tab-separated-values", "ttf": "font/ttf", "txt": "text/plain",
        "wasm": "application/wasm", "wav": "audio/wav", "weba": "audio/webm", "webm": "video/webm",
        "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "xz": "application/x-xz", "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip",
        "zst": "application/zstd",
    ]
}
