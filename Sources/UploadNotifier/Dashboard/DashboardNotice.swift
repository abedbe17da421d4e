/// The result of an order, in a sentence.
struct DashboardNotice: Encodable, Hashable, Sendable {
    /// A link behind the sentence.
    struct Link: Encodable, Hashable, Sendable {
        var text: String
        var path: String
    }

    var text: String
    var isProblem = false
    /// Where the order can be taken back.
    var link: Link?
}
