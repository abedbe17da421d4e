import Foundation

/// For whom a page is made: it has the buttons of what its viewer may do.
struct DashboardViewer: Hashable, Sendable {
    let caller: APICaller

    init(_ caller: APICaller) { self.caller = caller }

    /// Whether the viewer may change jobs and whatever else concerns the whole pool.
    var mayOperate: Bool { caller.role >= .operate && caller.queues == nil }

    /// Whether the viewer may change jobs of this queue.
    func mayOperate(_ queue: String) -> Bool {
        caller.role >= .operate && (caller.queues?.contains(queue) ?? true)
    }

    /// Whether the viewer may see who ordered what.
    var seesAudit: Bool { caller.role >= .operate }

    /// Beside the name on every page: who is signed in, and the way out.
    var signedIn: HTML? {
        guard let name = caller.name else { return nil }
        return """
            <form method="post" action="/dashboard/sign-out"><span class="viewer" title="Role: \(caller.role.rawValue)">\(name)</span>\
            <button class="quiet">Sign out</button></form>
            """
    }

    /// A form of one button, which works without a script as well; nil where the viewer may not use it.
    /// - Parameters:
    ///   - queue: the transfer queue that the action concerns; nil: the whole pool.
    ///   - title: the action and its object, for users of a screen reader.
    ///   - path: parts of the path below `/dashboard`.
    ///   - asks: whether a page asks first.
    ///   - fields: hidden fields of the form.
    func button(
        _ label: String, title: String, path: [String], of queue: String?, asks: Bool = false, fields: HTML? = nil,
        isEnabled: Bool = true, look: String = ""
    ) -> HTML? {
        guard queue.map(mayOperate) ?? mayOperate else { return nil }
        let path = path.map { $0.addingPercentEncoding(withAllowedCharacters: DashboardPage.pathCharacters) ?? "" }
        return """
            <form method="\(asks ? "get" : "post")" action="/dashboard/\(path.joined(separator: "/"))">\(fields)\
            <button\(look.isEmpty ? nil : HTML(" class=\"\(look)\"")) aria-label="\(title)"\(isEnabled ? nil : HTML(" disabled"))>\(label)\(asks ? "…" : "")</button></form>
            """
    }
}
