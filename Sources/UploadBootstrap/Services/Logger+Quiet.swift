import Logging

extension Logger {
    /// The same logger for a library: it logs warnings and worse only, unless the operator chose `debug` or `trace`.
    var quiet: Logger {
        var logger = self
        if logger.logLevel > .debug { logger.logLevel = max(.warning, logger.logLevel) }
        return logger
    }
}
