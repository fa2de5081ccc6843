// swift-tools-version: 6.0
import PackageDescription

/// Every Swift target is held to the same rules; `make check` adds warnings as errors.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "linkspan",
  products: [
    .executable(name: "linkspan", targets: ["LinkspanCLI"])
  ],
  targets: [
    // Layer 1: the vocabulary the other layers share.
    .target(name: "LinkspanCore", swiftSettings: settings),

    // Layer 2: domains.
    .target(name: "AppSiteAssociation", dependencies: ["LinkspanCore"], swiftSettings: settings),

    // Layer 5: the one place that ties everything together.
    .executableTarget(
      name: "LinkspanCLI", dependencies: ["LinkspanCore", "AppSiteAssociation"],
      swiftSettings: settings),

    .testTarget(
      name: "LinkspanCoreTests", dependencies: ["LinkspanCore"], swiftSettings: settings),
    .testTarget(
      name: "AppSiteAssociationTests", dependencies: ["LinkspanCore", "AppSiteAssociation"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
