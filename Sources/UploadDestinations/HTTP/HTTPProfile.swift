import Foundation
public import Uploads

/// A service whose answers report errors beyond their statuses.
public enum HTTPProfile: String, CaseIterable, Hashable, Sendable {
    /// Imgur's API 3 (https://apidocs.imgur.com).
    case imgur

    /// The error of an upload that was not accepted; nil if it was accepted, or where the status alone decides.
    func failure(_ reply: HTTPReply, _ response: ServerResponse, at target: HTTPTarget) -> UploadError? {
        switch self {
        case .imgur: ImgurAnswer(reply, response).failure(at: target)
        }
    }
}

extension HTTPConfiguration {
    /// Imgur's "Image Upload": a form with the file as `image`, the key's last component as `name`, and `title`, `description` and
    /// `album` from each job's metadata. The caller still has to set `Authorization` (`Client-ID …`).
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
