import Foundation
public import Uploads

/// A service whose answers say more than their statuses.
public enum HTTPProfile: String, CaseIterable, Hashable, Sendable {
    /// Imgur's API 3 (https://apidocs.imgur.com).
    case imgur

    /// Why an upload was not accepted; nil if it was, or where the status says all.
    func failure(_ reply: HTTPReply, _ response: ServerResponse, at target: HTTPTarget) -> UploadError? {
        switch self {
        case .imgur: ImgurAnswer(reply, response).failure(at: target)
        }
    }
}

extension HTTPConfiguration {
    /// Imgur's "Image Upload": a form with the file as `image`, the key's last component as `name`, and of each job's metadata
    /// `title`, `description` and `album`. Its `Authorization` (`Client-ID …`) is still to be set.
    public static func imgur(url: String = "https://api.imgur.com/3/image") throws(UploadError) -> HTTPConfiguration {
        var configuration = HTTPConfiguration(url: url)
        configuration.method = .post
        configuration.appendsKey = false
        var fields = ["type": try JobTemplate("file"), "name": try JobTemplate("{name}")]
        for name in ["title", "description", "album"] { fields[name] = try JobTemplate("{metadata.\(name)}") }
        configuration.form = try HTTPForm(file: "image", fields: fields)
        configuration.answerURL = "data.link"
        configuration.profile = .imgur
        configuration.sizeMaximum = ImgurAnswer.imageBytesMaximum
        return configuration
    }
}
