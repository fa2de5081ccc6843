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

    // Layer 4: devices and Apple's side, under one seed.
    .target(
      name: "LinkspanSimulator", dependencies: ["LinkspanCore", "AppSiteAssociation"],
      swiftSettings: settings),

    // Layer 5: the one place that ties everything together.
    .executableTarget(
      name: "LinkspanCLI", dependencies: ["LinkspanCore", "AppSiteAssociation"],
      swiftSettings: settings),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(
      name: "LinkspanCoreTests", dependencies: ["LinkspanCore", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "AppSiteAssociationTests", dependencies: ["AppSiteAssociation", "LinkspanCore", "TestSupport"],
      swiftSettings: settings),

    .testTarget(
      name: "LinkspanSimulatorTests",
      dependencies: ["LinkspanSimulator", "AppSiteAssociation", "LinkspanCore", "TestSupport"],
      swiftSettings: settings),

    // The rules of the house, read from the repository itself.
    .testTarget(name: "TidyTests", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
