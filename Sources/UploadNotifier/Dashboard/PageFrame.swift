/// The frame of every page.
enum PageFrame {
    /// - Parameters:
    ///   - header: beside the name.
    ///   - isLive: whether the script follows the stream of changes.
    ///   - refreshSeconds: after how many seconds the page reloads itself; nil for never.
    static func document(
        title: String, header: HTML? = nil, isLive: Bool = false, refreshSeconds: Int? = nil, body: HTML
    ) -> HTML {
        let script: HTML? = isLive ? "<script src=\"/assets/dashboard.js\" defer></script>" : nil
        let refresh: HTML? = refreshSeconds.map { "<meta http-equiv=\"refresh\" content=\"\($0)\">" }
        return """
            <!DOCTYPE html>
            <html lang="en" data-version="\(DashboardAsset.version)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">\(refresh)
            <title>\(title)</title>
            <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/assets/dashboard.css">
            \(script)
            </head>
            <body>
            <a class="skip" href="#main">Skip to the content</a>
            <header><h1><svg viewBox="0 0 32 32" aria-hidden="true">\(DashboardAsset.mark)</svg>Longshore</h1>\
            <div class="tools">\(header)</div></header>
            \(body)
            </body>
            </html>

            """
    }

    /// What stands beside the name on a page that the script keeps up to date.
    static func tools(canSignOut: Bool) -> HTML {
        "<p id=\"connection\" class=\"connection\" role=\"status\"></p>\(signOut(canSignOut))"
    }

    static func signOut(_ canSignOut: Bool) -> HTML? {
        guard canSignOut else { return nil }
        return "<form method=\"post\" action=\"/dashboard/sign-out\"><button class=\"quiet\">Sign out</button></form>"
    }

    /// The place of notices. It is always there, so that a screen reader reads a notice that is put into it.
    /// - Parameter notice: the result of the order after which the browser was redirected to this page.
    static func place(for notice: DashboardNotice?) -> HTML {
        let text: HTML? = notice.map { "<p class=\"\($0.isProblem ? "alert bad" : "alert good")\">\($0.text)</p>" }
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
            title: "\(title) · Longshore",
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
            title: "\(title) · Longshore", refreshSeconds: refreshSeconds,
            body: """
                <main id="main" class="alone"><section class="card" aria-labelledby="heading">
                <h2 id="heading">\(title)</h2><p class="text">\(text)</p>\(link)</section></main>
                """)
    }

    /// The page on which a user types the token.
    /// - Parameter problem: why the last token was refused.
    static func signIn(problem: String?) -> HTML {
        let alert: HTML? = problem.map { "<p class=\"alert bad\" role=\"alert\" id=\"problem\">\($0)</p>" }
        let described: HTML? = problem.map { _ in " aria-describedby=\"problem\" aria-invalid=\"true\"" }
        return document(
            title: "Sign in · Longshore",
            body: """
                <main id="main" class="alone"><section class="card" aria-labelledby="heading">
                <h2 id="heading">Sign in</h2>
                <form method="post" action="/dashboard/sign-in" class="stack">\(alert)
                <label for="token">Token</label>
                <input id="token" name="token" type="password" autocomplete="current-password" required autofocus \
                maxlength="4096"\(described)>
                <p class="hint">The one that the notifier’s configuration names as <code>notifier.token</code>.</p>
                <button class="strong">Sign in</button>
                </form></section></main>
                """)
    }
}
