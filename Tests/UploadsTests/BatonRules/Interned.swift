/// Values by small numbers, so that a world is a handful of numbers: cheap to copy, to compare and to keep by the
/// hundred thousand.
struct Interned<Value: Hashable> {
    private var numbers: [Value: Int32] = [:]
    private var values: [Value] = []

    subscript(number: Int32) -> Value { values[Int(number)] }

    mutating func number(of value: Value) -> Int32 {
        if let number = numbers[value] { return number }
        let number = Int32(values.count)
        numbers[value] = number
        values.append(value)
        return number
    }
}
