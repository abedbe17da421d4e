/// Cards that several pages have.
extension PageFrame {
    /// Names and values.
    /// - Parameters:
    ///   - pairs: what is nil is left out.
    ///   - more: below the values.
    static func facts(_ title: String, _ pairs: [(String, HTML?)], more: HTML? = nil) -> HTML {
        let rows = pairs.compactMap { name, value in value.map { (name, $0) } }
        return """
            <section class="card" aria-labelledby="heading-facts"><div class="heading"><h2 id="heading-facts">\(title)</h2></div>
            <dl class="pairs">\(rows.map { name, value -> HTML in "<div><dt>\(name)</dt><dd>\(value)</dd></div>" })</dl>\(more)</section>
            """
    }

    /// The same as the page's buttons for a terminal.
    static func commands(_ lines: [String]) -> HTML {
        """
        <section class="card" aria-labelledby="heading-commands"><div class="heading">\
        <h2 id="heading-commands">On the command line</h2></div>
        <ul class="commands">\(lines.map { line -> HTML in "<li><code>\(line)</code></li>" })</ul></section>
        """
    }
}
