extension Bootstrap {
    /// `--check-config` of a command that uses no setting.
    public static func checkConfiguration(_ input: ConfigurationInput) throws -> ExitCode {
        let configuration = try UploadConfiguration(input)
        Console.output(line: ConfigurationReport(settings: configuration.settings).text)
        return .done
    }
}
