import Foundation

/// The frame of every page.
enum PageFrame {
    /// How the script keeps a page up to date.
    enum Updates {
        /// The stream has the page's changed parts.
        case stream
        /// The page is fetched again from its own address, every few seconds.
        case fetched(String)
        /// The page stays as it is: rows of a list must not move under the pointer.
        case none
    }

    /// A page of the console.
    /// - Parameters:
    ///   - notice: the result of the order after which the browser was redirected to this page.
    ///   - content: what is inside `main`.
    static func page(
        _ title: String, at place: DashboardPlace, for viewer: DashboardViewer, updates: Updates,
        notice: DashboardNotice? = nil, _ content: HTML
    ) -> HTML {
        let follow: HTML? =
            switch updates {
            case .stream: nil
            case .fetched(let path): " data-follow=\"\(path)\""
            case .none: " data-still"
            }
        return document(
            title: title, tools: tools(viewer), navigation: DashboardPlace.navigation(at: place, for: viewer),
            isLive: true, body: "\(Self.place(for: notice))<main id=\"main\"\(follow)>\(content)</main>")
    }

    /// - Parameters:
    ///   - tools: beside the name.
    ///   - isLive: whether the script keeps the page up to date.
    ///   - refreshSeconds: after how many seconds the page reloads itself; nil for never.
    static func document(
        title: String, tools: HTML? = nil, navigation: HTML? = nil, isLive: Bool = false, refreshSeconds: Int? = nil,
        body: HTML
    ) -> HTML {
        let script: HTML? = isLive ? "<script src=\"/assets/dashboard.js\" defer></script>" : nil
        let refresh: HTML? = refreshSeconds.map { "<meta http-equiv=\"refresh\" content=\"\($0)\">" }
        let name = title == "Longshore" ? title : "\(title) · Longshore"
        return """
            <!DOCTYPE html>
            <html lang="en" data-version="\(DashboardAsset.version)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">\(refresh)
            <title>\(name)</title>
            <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/assets/dashboard.css">
            \(script)
            </head>
            <body>
            <a class="skip" href="#main">Skip to the content</a>
            <header><h1><svg viewBox="0 0 32 32" aria-hidden="true">\(DashboardAsset.mark)</svg>Longshore</h1>\
            \(navigation)<div class="tools">\(tools)</div></header>
            \(body)
            </body>
            </html>

            """
    }

    /// What stands beside the name on a page that the script keeps up to date.
    private static func tools(_ viewer: DashboardViewer) -> HTML {
        "<p id=\"connection\" class=\"connection\" role=\"status\"></p>\(viewer.signedIn)"
    }

    /// The place of notices. It is always there, so that a screen reader reads a notice that is put into it.
    /// - Parameter notice: the result of the order after which the browser was redirected to this page.
    private static func place(for notice: DashboardNotice?) -> HTML {
        let link: HTML? = notice?.link.map { " <a href=\"\($0.path)\">\($0.text)</a>" }
        let text: HTML? = notice.map {
            "<p class=\"\($0.isProblem ? "alert bad" : "alert good")\">\($0.text)\(link)</p>"
        }
        return "<div id=\"notice\" role=\"status\">\(text)</div>"
    }

    /// A page that asks before something is done that cannot be undone, or that concerns much.
    /// - Parameters:
    ///   - action: the path to which the answer is posted, with hidden fields.
    ///   - back: the path of the page that the user comes from.
    static func question(
        _ title: String, _ text: HTML, action: String, fields: HTML? = nil, label: String, back: String
    ) -> HTML {
        document(
            title: title,
            body: """
                <main id="main" class="alone"><section class="card" aria-labelledby="heading">
                <h2 id="heading">\(title)</h2><p class="text">\(text)</p>
                <form method="post" action="\(action)" class="answers">\(fields)<button class="strong">\(label)</button>\
                <a href="\(back)">Go back</a></form></section></main>
                """)
    }

    /// A page with one message.
    static func message(_ title: String, _ text: String, refreshSeconds: Int? = nil, link: HTML? = nil) -> HTML {
        document(
            title: title, refreshSeconds: refreshSeconds,
            body: """
                <main id="main" class="alone"><section class="card" aria-labelledby="heading">
                <h2 id="heading">\(title)</h2><p class="text">\(text)</p>\(link)</section></main>
                """)
    }

    /// The page on which a user types the token.
    /// - Parameters:
    ///   - problem: why the last token was refused.
    ///   - goal: the page to which the sign-in leads; nil: the first page.
    static func signIn(problem: String?, to goal: String?) -> HTML {
        let alert: HTML? = problem.map { "<p class=\"alert bad\" role=\"alert\" id=\"problem\">\($0)</p>" }
        let described: HTML? = problem.map { _ in " aria-describedby=\"problem\" aria-invalid=\"true\"" }
        let text = goal?.addingPercentEncoding(withAllowedCharacters: DashboardPage.pathCharacters)
        let query = text.map { "?to=\($0)" } ?? ""
        return document(
            title: "Sign in",
            body: """
                <main id="main" class="alone"><section class="card" aria-labelledby="heading">
                <h2 id="heading">Sign in</h2>
                <form method="post" action="/dashboard/sign-in\(query)" class="stack">\(alert)
                <label for="token">Token</label>
                <input id="token" name="token" type="password" autocomplete="current-password" required autofocus \
                maxlength="4096"\(described)>
                <p class="hint">One that the notifier’s configuration names as <code>notifier.token</code> or below <code>tokens</code>.</p>
                <button class="strong">Sign in</button>
                </form></section></main>
                """)
    }
}
