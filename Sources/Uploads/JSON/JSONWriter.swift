import Foundation

/// Writes one value by its `Encodable`: the members of an object in the order of their names, so that equal values are equal texts. Of
/// several members with one name the last one is written. Exclusivity is not checked for the reason that `JSONOutput` gives.
final class JSONWriter: Encoder, SingleValueEncodingContainer {
    private enum Kind { case nothing, value, list, object }

    let output: JSONOutput
    @exclusivity(unchecked) private var kind = Kind.nothing
    /// The place of the value in the output; of an object or a list behind its bracket.
    @exclusivity(unchecked) private var start = 0
    /// The index of the object's first member.
    @exclusivity(unchecked) private var firstMember = 0
    @exclusivity(unchecked) private var isInOrder = true
    @exclusivity(unchecked) private(set) var elementCount = 0
    /// Objects and lists that are filled beside this one, and the places in the output to which they belong.
    @exclusivity(unchecked) private var children: [(place: Int, writer: JSONWriter)] = []

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(to output: JSONOutput) { self.output = output }

    /// - Throws: `EncodingError`, and what the value throws.
    static func bytes(of value: some Encodable) throws -> [UInt8] {
        let output = JSONOutput()
        try output.write(value: value)
        return output.bytes
    }

    // MARK: Objects and lists

    /// A value may ask for its container more than once.
    private func open(_ kind: Kind, _ bracket: Unicode.Scalar) {
        guard self.kind == .nothing else { return }
        self.kind = kind
        output.put(bracket)
        start = output.bytes.count
        firstMember = output.members.count
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        open(.object, "{")
        return KeyedEncodingContainer(JSONObjectWriter(writer: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        open(.list, "[")
        return JSONListWriter(writer: self)
    }

    /// Begins a member, whose value is written next.
    func beginMember(_ name: String) {
        if output.members.count > firstMember {
            output.put(",")
            if isInOrder { isInOrder = output.members[output.members.count - 1].name < name }
        }
        output.members.append(JSONOutput.Member(name: name, start: output.bytes.count))
        output.write(name)
        output.put(":")
    }

    /// Begins an element, which is written next.
    func beginElement() {
        if elementCount > 0 { output.put(",") }
        elementCount += 1
    }

    /// The writer of a member or element that is filled while others are written.
    func child() -> JSONWriter {
        let writer = JSONWriter(to: JSONOutput())
        children.append((output.bytes.count, writer))
        return writer
    }

    /// Completes the value. Call it once, after everything in it.
    func close() {
        insertChildren()
        switch kind {
        case .value: break
        case .list: output.put("]")
        case .object:
            if !isInOrder { sortMembers() }
            output.members.removeSubrange(firstMember...)
            output.put("}")
        case .nothing:
            output.put("{")
            output.put("}")
        }
    }

    private func insertChildren() {
        for (place, child) in children.reversed() {
            child.close()
            output.bytes.insert(contentsOf: child.output.bytes, at: place)
            for index in output.members.indices[firstMember...] where output.members[index].start > place {
                output.members[index].start += child.output.bytes.count
            }
        }
    }

    private func sortMembers() {
        let members = output.members[firstMember...]
        // The sort is stable.
        let sorted = members.indices.sorted { members[$0].name < members[$1].name }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(output.bytes.count - start)
        for (place, index) in sorted.enumerated() {
            if place + 1 < sorted.count, members[sorted[place + 1]].name == members[index].name { continue }
            if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
            let end = index + 1 < members.endIndex ? members[index + 1].start - 1 : output.bytes.count
            bytes += output.bytes[members[index].start..<end]
        }
        output.bytes.replaceSubrange(start..., with: bytes)
    }

    // MARK: Single values

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// A value that is written again takes the place of the first one.
    private func beginValue() -> JSONOutput {
        if kind == .nothing { start = output.bytes.count } else { output.bytes.removeSubrange(start...) }
        kind = .value
        return output
    }

    func encodeNil() { beginValue().writeNull() }
    func encode(_ value: Bool) { beginValue().write(value) }
    func encode(_ value: String) { beginValue().write(value) }
    func encode(_ value: Double) throws { try beginValue().write(value) }
    func encode(_ value: Float) throws { try beginValue().write(value.written) }
    func encode(_ value: Int) { beginValue().write(value) }
    func encode(_ value: Int8) { beginValue().write(value) }
    func encode(_ value: Int16) { beginValue().write(value) }
    func encode(_ value: Int32) { beginValue().write(value) }
    func encode(_ value: Int64) { beginValue().write(value) }
    func encode(_ value: UInt) { beginValue().write(value) }
    func encode(_ value: UInt8) { beginValue().write(value) }
    func encode(_ value: UInt16) { beginValue().write(value) }
    func encode(_ value: UInt32) { beginValue().write(value) }
    func encode(_ value: UInt64) { beginValue().write(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try beginValue().write(value: value) }
}
