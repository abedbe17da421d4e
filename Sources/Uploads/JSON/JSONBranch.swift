/// An object or a list while it is being filled.
final class JSONBranch {
    private(set) var members: [(name: String, piece: JSONPiece)] = []
    private(set) var elements: [JSONPiece] = []
    private let isObject: Bool

    init(members: [(name: String, piece: JSONPiece)]) {
        self.members = members
        if members.isEmpty { self.members.reserveCapacity(16) }
        isObject = true
    }

    init(elements: [JSONPiece]) {
        self.elements = elements
        isObject = false
    }

    /// Of several members with one name the last one is written.
    func add(_ piece: JSONPiece, _ name: String) { members.append((name, piece)) }

    func add(_ piece: JSONPiece) { elements.append(piece) }

    /// Members in the order of their names, so that equal values are equal texts.
    func write(to bytes: inout [UInt8]) throws {
        guard isObject else {
            bytes.append(UInt8(ascii: "["))
            for (index, piece) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try piece.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
            return
        }
        bytes.append(UInt8(ascii: "{"))
        // The sort is stable.
        members.sort { $0.name < $1.name }
        var isFirst = true
        for (index, member) in members.enumerated() {
            if index + 1 < members.count, members[index + 1].name == member.name { continue }
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            JSONPiece.write(member.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            try member.piece.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
