import Foundation

// Checks by which a producer refuses a job before it is published: a destination would refuse it only later.
extension DestinationReference {
    /// The most bytes of a key. S3 takes as many ("Naming Amazon S3 objects").
    public static let keyBytesMaximum = 1024
    /// The schemes of the URLs to which a job may go.
    public static let schemes = ["https", "http", "file"]

    /// Why a text is no key; nil if it is one. A key must stay below its destination and be a text that every driver can
    /// carry.
    public static func problem(key: String) -> String? {
        if key.utf8.contains(0) { return "a key cannot contain a NUL" }
        if key.utf8.count > keyBytesMaximum { return "a key has at most \(keyBytesMaximum) bytes" }
        if key.hasBytePrefix("/") { return "a key does not begin with '/'" }
        if key.pathComponents.contains(where: { $0 == ".." || $0 == "." }) {
            return "a key has no parts '.' or '..'"
        }
        return nil
    }

    /// Why no job can go to a URL; nil if one can. The text never shows the URL, which may be a credential.
    public static func problem(url: String) -> String? {
        guard let scheme = url.urlScheme, schemes.contains(scheme) else {
            let found = url.urlScheme.map { "no destination has the scheme '\($0)'" } ?? "it has no scheme"
            return "\(found); use https://, http:// or file:///, or the NAME:KEY of a configured destination"
        }
        let path = url.bytePrefix(upTo: "?", "#")
        if scheme == "file", !path.lowercased().hasPrefix("file:///") {
            return "a file URL has three slashes, as in file:///srv/incoming/"
        }
        return URL(string: path)?.hasValidPort == false ? "a port is a number from 1 to 65535" : nil
    }

    /// Why no bytes can be read from a URL; nil if they can.
    public static func problem(sourceURL url: String) -> String? {
        guard ["https", "http"].contains(url.urlScheme), let url = URL(string: url), url.host?.isEmpty == false,
            url.hasValidPort
        else { return "expected a URL such as https://host/path" }
        return nil
    }

    /// Why an object there could not be read back for a job with `verify`; nil if it could. A job that cannot be
    /// verified is refused before anything is sent.
    public var readBackProblem: String? {
        guard case .url(let url) = self, url.utf8.contains(UInt8(ascii: "?")) else { return nil }
        return "a pre-signed URL is good for one method, so that what it stores cannot be read back; leave it out"
    }

    /// The problems of the reference in a job.
    /// - Parameters:
    ///   - field: the job's field.
    ///   - names: the configured destinations; nil where they are not known.
    func problems(at field: String, among names: Set<DestinationName>?, isSource: Bool = false) -> [JobProblem] {
        switch self {
        case .named(let name, let key):
            let keyProblem = key.isEmpty ? "a key is not empty" : Self.problem(key: key)
            return [
                name.problem(among: names).map { JobProblem("\(field)/name", "'\(name)': \($0)") },
                keyProblem.map { JobProblem("\(field)/key", $0) },
            ].compactMap { $0 }
        case .url(let url):
            let problem = isSource ? Self.problem(sourceURL: url) : Self.problem(url: url)
            return problem.map { [JobProblem("\(field)/url", $0)] } ?? []
        }
    }
}

extension DestinationName {
    /// Why no destination is meant by the name; nil if one is, or the configured ones are not known.
    package func problem(among names: Set<DestinationName>?) -> String? {
        guard let names, !names.contains(self) else { return nil }
        let all = names.map(\.rawValue).sorted()
        let hint = EditDistance.nearest(to: rawValue, among: all).map { "did you mean '\($0)'?" }
        let known = all.isEmpty ? "none is configured" : "configured are: " + all.joined(separator: ", ")
        return "the configuration has none of this name; \(hint ?? known)"
    }
}
