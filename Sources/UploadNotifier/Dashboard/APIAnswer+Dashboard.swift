import Hummingbird

extension APIAnswer {
    /// The content security policy: a page may load style, script and images from this host alone, and post forms to
    /// it. No other page may frame it.
    private static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// Other origins may not read the page. The referrer stays on this host: with `no-referrer` a browser would send no
    /// `Origin` with the page's own forms.
    private static let isolation: [(HTTPFields.Element.Name, String)] = [
        ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ].compactMap { name, value in HTTPFields.Element.Name(name).map { ($0, value) } }

    static func page(
        _ html: HTML, status: HTTPResponse.Status = .ok, headers more: HTTPFields = [:]
    ) -> APIAnswer {
        APIAnswer { pageResponse(html, status: status, headers: more) }
    }

    static func pageResponse(
        _ html: HTML, status: HTTPResponse.Status = .ok, headers more: HTTPFields = [:]
    ) -> Response {
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: policy,
        ]
        for (name, value) in isolation { headers[name] = value }
        for field in more { headers[field.name] = field.value }
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html.text)))
    }

    static func redirect(to path: String, cookie: String? = nil) -> APIAnswer {
        APIAnswer {
            var headers: HTTPFields = [.location: path, .cacheControl: "no-store"]
            if let cookie { headers[.setCookie] = cookie }
            return Response(status: .seeOther, headers: headers)
        }
    }

    /// The browser asks for it each time, and gets it again only when it has changed.
    static func asset(_ asset: DashboardAsset, ifNoneMatch: String?) -> APIAnswer {
        APIAnswer {
            var headers: HTTPFields = [
                .contentType: asset.type, .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
                .eTag: asset.etag,
            ]
            for (name, value) in isolation { headers[name] = value }
            if ifNoneMatch?.contains(asset.etag) ?? false { return Response(status: .notModified, headers: headers) }
            return Response(
                status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes)))
        }
    }
}
