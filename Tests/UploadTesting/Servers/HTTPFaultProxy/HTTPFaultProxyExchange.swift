import Glibc

/// One request and its answer on their way through an `HTTPFaultProxy`.
struct HTTPFaultProxyExchange {
    enum Sent {
        case whole
        case answeredEarly
        case cut
        case stalled
        case broken
    }

    let proxy: HTTPFaultProxy
    let index: Int
    let request: HTTPFaultProxy.Request
    let head: HTTPHead
    let client: SocketStream

    private static let rewrittenBytesMaximum = 16 << 20

    /// Answers in the server's place.
    /// - Returns: whether another request may follow.
    func answer(_ status: Int, _ headers: [(String, String)], _ body: String, drains: Bool) -> Bool {
        if drains {
            if head.wantsContinue { _ = client.write("HTTP/1.1 100 Continue\r\n\r\n") }
            var copy = BodyCopy(framing: head.requestFraming, source: client, sink: nil)
            guard copy.run() == .whole else { return false }
        }
        var lines = ["HTTP/1.1 \(status) \(status < 400 ? "OK" : "Error")"]
        lines += headers.map { "\($0.0): \($0.1)" }
        if status != 204 && status != 304 { lines.append("Content-Length: \(body.utf8.count)") }
        let isLast = !drains || head.isLast
        if isLast { lines.append("Connection: close") }
        let text = lines.joined(separator: "\r\n") + "\r\n\r\n" + (request.method == "HEAD" ? "" : body)
        note { $0.status = status }
        guard client.write(text) else { return false }
        if isLast { client.finish() }
        return !isLast
    }

    func noteTunnel() { note { $0.status = 200 } }

    /// Passes head and body on.
    func sendRequest(to server: SocketStream, _ action: HTTPFaultProxy.Action) -> Sent {
        var passed = head
        if case .rewriteRequest(let change) = action { change(&passed.fields) }
        guard server.write(passed.forwarded) else { return .broken }
        if head.wantsContinue {
            // The client waits for the server's 100 (Continue), for a while.
            if SocketStream.wait(for: [client, server])[1] {
                guard skipContinue(from: server) else { return .answeredEarly }
                guard client.write("HTTP/1.1 100 Continue\r\n\r\n") else { return .broken }
            }
        }
        var copy = BodyCopy(framing: head.requestFraming, source: client, sink: server)
        var atLimit: Sent?
        switch action {
        case .cutAfterRequestBytes(let bytes):
            copy.bytesLeft = bytes
            atLimit = .cut
        case .stallRequest(let bytes):
            copy.bytesLeft = bytes
            atLimit = .stalled
        case .throttle(let pace): copy.bytesPerSecond = pace
        case .flipRequestBit(let offset): copy.flippedOffset = offset
        default: break
        }
        // Some servers send 100 (Continue) twice; any other answer is an early one. A small body is passed on all the same, because the
        // client has sent it with the head, and goes on using the connection.
        if !head.hasSmallBody { copy.isInterrupted = { server.isReadable && !skipContinue(from: server) } }
        copy.onBytes = { count in note { $0.bodyBytes += count } }
        switch copy.run() {
        case .whole:
            note { $0.isBodyWhole = true }
            return atLimit ?? .whole
        case .limit: return atLimit ?? .broken
        case .interrupted: return .answeredEarly
        case .sinkEnded: return server.isReadable ? .answeredEarly : .broken
        case .sourceEnded:
            // The server gets no more than a part of the body.
            server.reset()
            return .broken
        }
    }

    /// - Returns: false when the server's next answer is not 100 (Continue); that one stays to be read.
    private func skipContinue(from server: SocketStream) -> Bool {
        let word = server.peek(12)
        return word.hasPrefix("HTTP/1.") && word.hasSuffix(" 100") && server.readHead() != nil
    }

    /// Passes the answer on as the action says.
    /// - Returns: whether another request may follow.
    func passAnswer(from server: SocketStream, _ action: HTTPFaultProxy.Action) -> Bool {
        var answer = server.readHead()
        while let informational = answer, informational.status < 200 { answer = server.readHead() }
        guard let answer else {
            client.reset()
            return false
        }
        note { $0.serverStatus = answer.status }
        let isWhole = isBodyWhole
        switch action {
        case .forwardThenCut, .forwardThenRun, .stallAnswer:
            var copy = BodyCopy(framing: answer.answerFraming(to: request.method), source: server, sink: nil)
            _ = copy.run()
            if case .stallAnswer = action { client.waitForHangUp() }
            if case .forwardThenRun(let run) = action { run() }
            client.reset()
            return false
        case .rewriteAnswer(let change):
            guard rewrite(answer, from: server, change) else { return false }
        default:
            // Noted before the answer is passed on, because the client goes on as soon as it has the answer.
            note { $0.status = answer.status }
            guard client.write(answer.forwarded) else { return false }
            var copy = BodyCopy(framing: answer.answerFraming(to: request.method), source: server, sink: client)
            if case .truncateAnswer(let bytes) = action {
                copy.bytesLeft = bytes
                _ = copy.run()
                client.finish()
                return false
            }
            guard copy.run() == .whole else {
                client.reset()
                return false
            }
        }
        if answer.isLast || !isWhole || answer.answerFraming(to: request.method) == .untilClose {
            client.finish()
            return false
        }
        return true
    }

    private func rewrite(
        _ head: HTTPHead, from server: SocketStream, _ change: (inout HTTPFaultProxy.Answer) -> Void
    ) -> Bool {
        var body: [UInt8] = []
        var copy = BodyCopy(framing: head.answerFraming(to: request.method), source: server, sink: nil)
        copy.bytesLeft = Self.rewrittenBytesMaximum
        copy.onData = { body += $0 }
        guard copy.run() == .whole else { return false }
        var answer = HTTPFaultProxy.Answer(status: head.status, reason: head.words[2], headers: head.fields, body: body)
        change(&answer)
        answer.setHeader("Transfer-Encoding", nil)
        // The length in an answer to HEAD is not the length of a following body.
        if request.method != "HEAD" { answer.setHeader("Content-Length", "\(answer.body.count)") }
        let lines = ["HTTP/1.1 \(answer.status) \(answer.reason)"] + answer.headers.map { "\($0.name): \($0.value)" }
        note { $0.status = answer.status }
        return client.write(lines.joined(separator: "\r\n") + "\r\n\r\n")
            && (request.method == "HEAD" || answer.body.withUnsafeBytes(client.write))
    }

    private var isBodyWhole: Bool {
        var isWhole = false
        note { isWhole = $0.isBodyWhole }
        return isWhole
    }

    private func note(_ change: (inout HTTPFaultProxy.Record) -> Void) { proxy.note(index, request, change) }
}
