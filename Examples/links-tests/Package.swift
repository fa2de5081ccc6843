// swift-tools-version: 6.0
import PackageDescription

// A package of your own would write .package(url: "…/linkspan", from: "1.0.0").
let package = Package(
  name: "links-tests",
  platforms: [.iOS(.v16), .macOS(.v13)],
  dependencies: [.package(name: "linkspan", path: "../..")],
  targets: [
    .testTarget(
      name: "LinkTests",
      dependencies: [
        .product(name: "LinkspanLinks", package: "linkspan"), .product(name: "Linkspan", package: "linkspan"),
      ],
      resources: [.copy("apple-app-site-association")])
  ],
  swiftLanguageModes: [.v6]
)
