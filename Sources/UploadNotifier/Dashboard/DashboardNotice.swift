/// The result of an order, in a sentence.
struct DashboardNotice: Encodable, Hashable, Sendable {
    var text: String
    var isProblem = false
}
