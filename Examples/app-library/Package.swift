// swift-tools-version: 6.0
import PackageDescription

// An app's own package would write .package(url: "…/linkspan", from: "1.0.0").
let package = Package(
  name: "recipe-app",
  platforms: [.iOS(.v16), .macOS(.v13)],
  dependencies: [.package(name: "linkspan", path: "../..")],
  targets: [
    .executableTarget(name: "RecipeApp", dependencies: [.product(name: "Linkspan", package: "linkspan")])
  ],
  swiftLanguageModes: [.v6]
)
