/// The description of the API: `openapi.yaml` beside this file, compiled in.
enum OpenAPIDescription {
    static let yaml = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)
}
