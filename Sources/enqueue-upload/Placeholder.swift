import UploadBootstrap

@main enum Placeholder { static func main() {} }
