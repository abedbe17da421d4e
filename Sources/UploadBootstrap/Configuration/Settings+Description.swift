// What a debug log shows of a service's parts: never a value, which may be a secret.

extension Settings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "\(values.count) settings" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["count": values.count]) }
}

extension ConfigurationInput: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "the input of the configuration" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["file": file as Any]) }
}
