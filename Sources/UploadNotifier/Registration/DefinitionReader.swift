import Foundation
import Uploads

/// Reads the fields of a definition, and collects their problems.
struct DefinitionReader {
    /// The most entries of a list or an object, and most characters of a text.
    static let countMaximum = 100
    static let textCountMaximum = 2048

    private let fields: [String: JSONValue]
    private(set) var problems: [FieldProblem] = []

    init(_ fields: [String: JSONValue]) { self.fields = fields }

    mutating func refuse(_ field: String, _ detail: String) {
        problems.append(FieldProblem(field: field, detail: detail))
    }

    func has(_ field: String) -> Bool { fields[field] != nil }

    mutating func text(_ field: String) -> String? {
        guard let value = fields[field] else { return nil }
        guard case .string(let text) = value, Self.isText(text) else {
            refuse(field, "expected a text of 1 to \(Self.textCountMaximum) characters without control characters")
            return nil
        }
        return text
    }

    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ field: String, _ type: Word.Type
    ) -> Word? where Word.RawValue == String {
        guard let value = fields[field] else { return nil }
        guard case .string(let text) = value, let word = Word(rawValue: text) else {
            refuse(field, "expected one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
            return nil
        }
        return word
    }

    mutating func flag(_ field: String) -> Bool? {
        guard let value = fields[field] else { return nil }
        guard case .bool(let flag) = value else {
            refuse(field, "expected true or false")
            return nil
        }
        return flag
    }

    mutating func integer(_ field: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = fields[field] else { return nil }
        guard case .integer(let number) = value, let integer = Int(exactly: number), range.contains(integer) else {
            refuse(field, "expected a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return integer
    }

    mutating func seconds(_ field: String, in range: ClosedRange<TimeInterval>) -> TimeInterval? {
        guard let value = fields[field] else { return nil }
        let seconds: TimeInterval? =
            switch value {
            case .integer(let number): TimeInterval(number)
            case .number(let number): number
            default: nil
            }
        guard let seconds, range.contains(seconds) else {
            refuse(field, "expected seconds from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
            return nil
        }
        return seconds
    }

    /// - Parameter expectation: a phrase for the problem, which says how each text must be.
    mutating func list(
        _ field: String, expecting expectation: String = "texts that are not empty",
        where isValid: (String) -> Bool = { _ in true }
    ) -> [String]? {
        guard let value = fields[field] else { return nil }
        if case .array(let items) = value, items.count <= Self.countMaximum {
            let texts = items.compactMap(\.string)
            if texts.count == items.count, texts.allSatisfy({ Self.isText($0) && isValid($0) }) { return texts }
        }
        refuse(field, "expected a list of at most \(Self.countMaximum) \(expectation)")
        return nil
    }

    mutating func texts(_ field: String) -> [String: String]? {
        guard let value = fields[field] else { return nil }
        if case .object(let object) = value, object.count <= Self.countMaximum {
            let texts = object.compactMapValues(\.string)
            if texts.count == object.count, texts.allSatisfy({ Self.isText($0.key) && Self.isText($0.value) }) {
                return texts
            }
        }
        refuse(field, "expected an object of at most \(Self.countMaximum) texts that are not empty")
        return nil
    }

    private static func isText(_ text: String) -> Bool {
        !text.isEmpty && text.count <= textCountMaximum && !text.unicodeScalars.contains { $0.value < 0x20 }
    }
}
