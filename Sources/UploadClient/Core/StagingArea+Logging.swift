package import Logging
package import UploadSources
import Uploads

extension StagingArea {
    /// Removes what programs that died have left half copied, and says so. A failure keeps no manager from being opened.
    package func sweepUnfinished(_ logger: Logger) async {
        do {
            let swept = try await sweepUnfinished()
            guard swept.count > 0 else { return }
            logger.info(
                "what a program had begun to copy when it died is removed",
                metadata: ["directory": "\(path)", "files": "\(swept.count)", "bytes": "\(swept.bytes)"])
        } catch {
            logger.warning("what a program left half copied cannot be removed", metadata: ["error": "\(error.message)"])
        }
    }
}
