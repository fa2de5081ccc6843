// swift-tools-version: 6.0
import PackageDescription

/// Every Swift target is held to the same rules; `make check` adds warnings as errors.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// For the event loops. Each loop's objects live on one thread; the tests, in debug builds, check every access. In release
/// builds the checks would cost 22 % of the client's instructions a request, 30 % of the server's in HTTP/2 and 47 % in
/// HTTP/1.1.
let loopSettings =
  settings + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

/// The fuzz targets, which need the toolchain's own linker and sanitizers: present only when `Fuzz/run` asks.
let fuzzTargets: [Target] =
  Context.environment["LINKSPAN_FUZZ"] == nil
  ? []
  : [
    .target(
      name: "FuzzSupport", path: "Fuzz/Sources/FuzzSupport",
      swiftSettings: settings + [.unsafeFlags(["-sanitize=fuzzer,address"])]),
    fuzz("FuzzAccessLog", of: ["AccessLogs", "LinkCoverage", "LinkspanForecast"]),
    fuzz("FuzzAlgebra", of: ["AppSiteAssociation"]),
    fuzz("FuzzAPNs", of: ["LinkspanCrypto", "PushStandIn"]),
    fuzz("FuzzArchive", of: ["AppBundle"]),
    fuzz("FuzzCMS", of: ["AppSiteAssociation", "LinkspanCrypto"]),
    fuzz("FuzzDER", of: ["AppBundle"]),
    fuzz("FuzzHandoff", of: ["Handoff"]),
    fuzz("FuzzHTTP1", of: ["HTTPEngine"]),
    fuzz("FuzzHTTP2", of: ["HTTPEngine"]),
    fuzz("FuzzHTTP2Client", of: ["HTTPEngine"]),
    fuzz("FuzzJSON", of: ["AppSiteAssociation"]),
    fuzz("FuzzMachO", of: ["AppBundle"]),
    fuzz("FuzzMCP", of: ["LinkspanMCP"]),
    fuzz("FuzzPayload", of: ["PushDelivery", "PushProvider"]),
    fuzz("FuzzPNG", of: ["PNGPictures"]),
    fuzz("FuzzPropertyList", of: ["AppBundle"]),
    fuzz("FuzzProviderToken", of: ["LinkspanCrypto", "PushProvider"]),
    fuzz("FuzzRegistry", of: ["DeviceRegistry", "PushProvider"]),
    fuzz("FuzzReview", of: ["SourceReview"]),
    fuzz("FuzzRoutes", of: ["AppSiteAssociation", "LinkCoverage", "LinkLanguages"]),
    fuzz("FuzzStory", of: ["AppSiteAssociation", "LinkspanSimulator"]),
  ]

/// What `make bench` measures from inside: present only when it asks.
let benchmarks: [Target] =
  Context.environment["LINKSPAN_BENCHMARKS"] == nil
  ? []
  : [
    .executableTarget(
      name: "MatchBenchmark", dependencies: ["AppSiteAssociation", "LinkspanCore"],
      path: "Benchmarks/Sources/MatchBenchmark", swiftSettings: settings),
    .executableTarget(
      name: "BudgetBenchmark",
      dependencies: ["AppSiteAssociation", "LinkCoverage", "LinkspanCore", "LinkspanSimulator"],
      path: "Benchmarks/Sources/BudgetBenchmark", swiftSettings: settings),
    .executableTarget(
      name: "BlurBenchmark", dependencies: ["Linkspan"], path: "Benchmarks/Sources/BlurBenchmark",
      swiftSettings: settings),
    .executableTarget(
      name: "RouterBenchmark", dependencies: ["Linkspan"],
      path: "Benchmarks/Sources/RouterBenchmark", swiftSettings: settings),
    .executableTarget(
      name: "ClientLoad", dependencies: ["HTTPClientEngine", "LinkspanCore"],
      path: "Benchmarks/Sources/ClientLoad", swiftSettings: settings),
    .executableTarget(
      name: "LoadDriver", dependencies: ["LoadGenerator"],
      path: "Benchmarks/Sources/LoadDriver", swiftSettings: settings),
  ]

func fuzz(_ name: String, of dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies + ["FuzzSupport", "LinkspanCore"], path: "Fuzz/Sources/\(name)",
    swiftSettings: settings + [.unsafeFlags(["-parse-as-library", "-sanitize=fuzzer,address"])],
    linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
}

let package = Package(
  name: "linkspan",
  // Demanded by the library `Linkspan` alone, which uses `Clock`; the program runs on Linux.
  platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .executable(name: "linkspan", targets: ["LinkspanCLI"]),
    // For apps: depends on no other target, so no unsafe flag and no C library is on its path.
    .library(name: "Linkspan", targets: ["Linkspan"]),
  ],
  targets: [
    // Layer 0: one Debian library each, and the corners of the platform Swift cannot reach.
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
    .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng16", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(
      name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CLinkspanPlatform"),
    // libpq (Debian: libpq-dev), loaded by the first command that needs it.
    .target(name: "CPostgres"),
    // Files that are no Swift, such as JavaScript; each lies beside the code that sends it.
    .target(name: "CLinkspanResources"),

    // Layer 1: the vocabulary the other layers share.
    .target(name: "LinkspanCore", swiftSettings: settings),

    .target(name: "LinkLanguages", dependencies: ["LinkspanCore"], swiftSettings: settings),
    .target(name: "AssociatedDomains", dependencies: ["LinkspanCore"], swiftSettings: settings),
    .target(name: "LinkspanSpecification", dependencies: ["LinkspanCore"], swiftSettings: settings),

    // Layer 1: the library inside the app, public; the only target with Foundation.
    .target(name: "Linkspan", swiftSettings: settings),

    // Layer 2: domains.
    .target(
      name: "AppSiteAssociation", dependencies: ["LinkspanCore", "AssociatedDomains", "LinkLanguages"],
      swiftSettings: settings),
    .target(
      name: "AssetLinks", dependencies: ["LinkspanCore", "AppSiteAssociation", "AssociatedDomains"],
      swiftSettings: settings),
    .target(
      name: "Swcutil", dependencies: ["LinkspanCore", "AppSiteAssociation", "AssociatedDomains"],
      swiftSettings: settings),
    .target(name: "AccessLogs", dependencies: ["LinkspanCore", "CZlib"], swiftSettings: settings),
    .target(
      name: "LinkCoverage",
      dependencies: [
        "LinkspanCore", "LinkLanguages", "AccessLogs", "AppSiteAssociation", "AssociatedDomains",
        "AssetLinks", "CExpat",
      ], swiftSettings: settings),
    .target(
      name: "AssociationDelivery", dependencies: ["LinkspanCore", "AppSiteAssociation", "AssociatedDomains"],
      swiftSettings: settings),
    .target(
      name: "AppBundle",
      dependencies: [
        "LinkspanCore", "LinkspanCrypto", "CLinkspanResources", "AppSiteAssociation", "AssociatedDomains",
        "CExpat", "CZip",
        "CZlib",
      ],
      exclude: ["Treemap/treemap.css"], swiftSettings: settings),
    .target(
      name: "AppClips", dependencies: ["LinkspanCore", "CQREncode", "CZlib"], swiftSettings: settings),
    .target(name: "PNGPictures", dependencies: ["CPNG"], swiftSettings: settings),
    .target(name: "SourceReview", dependencies: ["LinkspanCore"], swiftSettings: settings),
    .target(
      name: "LinkspanCrypto", dependencies: ["LinkspanCore", "CCrypto", "CGnuTLS"], swiftSettings: settings),

    .target(name: "AppLifecycle", dependencies: ["LinkspanCore"], swiftSettings: settings),
    .target(name: "Handoff", dependencies: ["LinkspanCore", "LinkspanCrypto"], swiftSettings: settings),
    .target(
      name: "PushProvider", dependencies: ["LinkspanCore", "LinkspanCrypto"], swiftSettings: settings),
    .target(
      name: "PushStandIn", dependencies: ["LinkspanCore", "LinkspanCrypto"], swiftSettings: settings),

    .target(name: "PushDelivery", dependencies: ["LinkspanCore"], swiftSettings: settings),

    .target(name: "LinkspanMCP", dependencies: ["LinkspanCore"], swiftSettings: settings),

    // Layer 3: stores and engines.
    .target(
      name: "HTTPTransport",
      dependencies: ["LinkspanCore", "LinkspanCrypto", "CCrypto", "CGnuTLS", "CLinkspanPlatform"],
      swiftSettings: loopSettings),
    .target(
      name: "DeviceRegistry",
      dependencies: [
        "LinkspanCore", "CLinkspanPlatform", "CLinkspanResources", "PushProvider", "CSQLite", "CPostgres",
      ],
      exclude: (1...4).map { "Schema/schema-\($0).sql" }, swiftSettings: settings),
    .target(
      name: "HTTPEngine",
      dependencies: ["LinkspanCore", "HTTPTransport", "CLinkspanPlatform", "CNGHTTP2"],
      swiftSettings: loopSettings),
    .target(
      name: "HTTPClientEngine",
      dependencies: ["LinkspanCore", "HTTPTransport", "HTTPEngine", "CLinkspanPlatform"],
      swiftSettings: loopSettings),

    // Layer 4: fleets, and the curves that they draw.
    .target(
      name: "LinkspanForecast", dependencies: ["LinkspanCore", "CLinkspanResources"],
      exclude: ["Picture/forecast.css"], swiftSettings: settings),

    .target(
      name: "LoadGenerator", dependencies: ["CCrypto", "CGnuTLS", "CLinkspanPlatform"],
      swiftSettings: settings),

    // Layer 4: handlers, which know no sockets.
    .target(
      name: "LinkspanServer",
      dependencies: [
        "LinkspanCore", "CLinkspanResources", "LinkspanCrypto", "AppSiteAssociation", "AssetLinks",
        "AssociationDelivery", "PushProvider", "DeviceRegistry",
      ],
      exclude: ["Registry/openapi.json"], swiftSettings: settings),

    // Layer 4: devices and Apple's side, under one seed.
    .target(
      name: "LinkspanSimulator",
      dependencies: [
        "LinkspanCore", "CLinkspanResources", "AppSiteAssociation", "AssociatedDomains",
        "AssociationDelivery", "LinkspanServer",
        "PushDelivery", "AppLifecycle", "Handoff", "LinkspanCrypto", "AppClips", "Linkspan",
        "LinkspanSpecification",
      ],
      exclude: [
        "Timeline/timeline.js", "Timeline/timeline-marks.js", "Timeline/timeline-chart.js",
        "Timeline/timeline-tables.js", "Timeline/timeline-controls.js", "Timeline/timeline-page.js",
        "Timeline/timeline-selfcheck.js", "Timeline/timeline.css",
      ],
      swiftSettings: settings),

    // Layer 4: pages for the people who run a server, over the handlers and the simulator.
    .target(
      name: "LinkspanConsole",
      dependencies: [
        "LinkspanCore", "CLinkspanResources", "LinkspanCrypto", "AppSiteAssociation", "AssociatedDomains",
        "PushProvider",
        "DeviceRegistry", "LinkspanServer", "LinkspanSimulator", "LinkspanForecast",
      ],
      exclude: ["Style/console.css", "Style/console.js"], swiftSettings: settings),

    // Layer 5: what runs for months, and what it shares with the command line: files, hosts, secrets.
    .target(
      name: "LinkspanDaemon",
      dependencies: [
        "LinkspanCore", "CLinkspanPlatform", "AppSiteAssociation", "AssociatedDomains", "AppBundle",
        "AssetLinks",
        "AssociationDelivery", "LinkspanCrypto", "Handoff", "PushProvider", "HTTPTransport",
        "HTTPEngine", "HTTPClientEngine", "LinkspanServer", "LinkspanSimulator", "LinkspanConsole",
        "DeviceRegistry",
      ],
      swiftSettings: settings),

    // Layer 5: Apple's servers and a site with faults, behind real sockets.
    .target(
      name: "LinkspanStandIns",
      dependencies: [
        "LinkspanCore", "CLinkspanPlatform", "AppSiteAssociation", "AssociationDelivery", "PushStandIn",
        "HTTPTransport", "HTTPEngine", "LinkspanServer", "LinkspanSimulator", "LinkspanDaemon",
      ],
      swiftSettings: settings),

    // Layer 6: what a command is made of, the commands, and the program that lists them.
    .target(
      name: "LinkspanCommand",
      dependencies: [
        "LinkspanCore", "AppSiteAssociation", "AppBundle", "AppClips", "AssetLinks", "AssociationDelivery",
        "LinkspanCrypto", "PushProvider", "HTTPTransport", "LinkspanServer", "LinkspanDaemon",
        "LinkspanStandIns", "SourceReview",
      ],
      swiftSettings: settings),
    .target(
      name: "LinkspanSiteCommands",
      dependencies: [
        "LinkspanCore", "LinkLanguages", "LinkspanForecast", "LoadGenerator", "AppSiteAssociation",
        "AppBundle",
        "AssetLinks", "AssociationDelivery", "LinkspanCrypto", "HTTPTransport", "HTTPEngine",
        "LinkspanServer",
        "LinkspanSimulator", "LinkspanDaemon", "LinkspanStandIns", "LinkspanCommand", "PushDelivery",
        "AppLifecycle", "DeviceRegistry", "LinkCoverage", "AccessLogs", "LinkspanConsole",
        "LinkspanSpecification", "Swcutil",
      ],
      swiftSettings: settings),
    .target(
      name: "LinkspanAppCommands",
      dependencies: [
        "Linkspan", "LinkspanCore", "AppSiteAssociation", "AppBundle", "AppClips", "LinkspanCrypto",
        "Handoff",
        "PNGPictures", "SourceReview", "PushProvider", "PushStandIn", "HTTPTransport", "HTTPEngine",
        "LinkspanDaemon", "LinkspanStandIns", "LinkspanCommand",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "LinkspanCLI",
      dependencies: [
        "LinkspanCore", "LinkspanMCP", "LinkspanDaemon", "LinkspanCommand", "LinkspanSiteCommands",
        "LinkspanAppCommands",
      ],
      swiftSettings: settings),

    .target(
      name: "TestSupport", dependencies: ["LinkspanCore"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "LinkspanForecastTests", dependencies: ["LinkspanCore", "LinkspanForecast"],
      swiftSettings: settings),
    .testTarget(
      name: "LinkspanCoreTests", dependencies: ["LinkspanCore", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "LinkspanTests",
      dependencies: [
        "Linkspan", "AppSiteAssociation", "AppBundle", "AppLifecycle", "LinkLanguages", "LinkspanCore",
        "CZlib",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AppSiteAssociationTests",
      dependencies: ["AppSiteAssociation", "AssociatedDomains", "LinkspanCore", "Swcutil", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "LoadGeneratorTests", dependencies: ["LoadGenerator", "CGnuTLS"], swiftSettings: settings),
    .testTarget(name: "AccessLogsTests", dependencies: ["AccessLogs"], swiftSettings: settings),
    .testTarget(
      name: "LinkCoverageTests",
      dependencies: [
        "LinkCoverage", "LinkLanguages", "AppSiteAssociation", "LinkspanCore", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AssetLinksTests",
      dependencies: ["AssetLinks", "AppSiteAssociation", "LinkspanCore", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "AssociationDeliveryTests",
      dependencies: [
        "AssociationDelivery", "AppSiteAssociation", "AssociatedDomains", "LinkspanCore", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AppBundleTests",
      dependencies: [
        "AppBundle", "AppSiteAssociation", "AssociatedDomains", "AssetLinks", "LinkspanCore",
        "LinkspanCrypto", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PushProviderTests",
      dependencies: ["PushProvider", "LinkspanCore", "LinkspanCrypto", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "PushStandInTests",
      dependencies: ["PushStandIn", "PushProvider", "LinkspanCore", "LinkspanCrypto", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "PushDeliveryTests", dependencies: ["PushDelivery", "LinkspanCore"], swiftSettings: settings),
    .testTarget(
      name: "DeviceRegistryTests",
      dependencies: ["DeviceRegistry", "LinkspanCore", "PushProvider", "CSQLite", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "PNGPicturesTests", dependencies: ["PNGPictures", "LinkspanCore", "CZlib"],
      swiftSettings: settings),
    .testTarget(
      name: "SourceReviewTests", dependencies: ["SourceReview", "LinkspanCore", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "AppClipsTests", dependencies: ["AppClips", "LinkspanCore", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "LinkspanMCPTests", dependencies: ["LinkspanCore", "LinkspanMCP"], swiftSettings: settings),
    .testTarget(
      name: "LinkspanCryptoTests",
      dependencies: ["LinkspanCrypto", "AppSiteAssociation", "HTTPTransport", "LinkspanCore"],
      swiftSettings: settings),
    .testTarget(
      name: "AppLifecycleTests", dependencies: ["AppLifecycle", "LinkspanCore"], swiftSettings: settings),
    .testTarget(
      name: "HandoffTests", dependencies: ["Handoff", "LinkspanCore", "LinkspanCrypto"],
      swiftSettings: settings),
    .testTarget(
      name: "HTTPEngineTests",
      dependencies: [
        "CGnuTLS", "CLinkspanPlatform", "HTTPTransport", "HTTPEngine", "HTTPClientEngine", "LinkspanCore",
        "LinkspanServer",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "LinkspanServerTests",
      dependencies: [
        "LinkspanServer", "AppSiteAssociation", "AssetLinks", "AssociationDelivery", "HTTPTransport",
        "LinkspanCore", "LinkspanCrypto", "DeviceRegistry", "HTTPEngine", "PushProvider", "TestSupport",
      ],
      swiftSettings: settings),

    .testTarget(
      name: "LinkspanConsoleTests",
      dependencies: [
        "LinkspanConsole", "LinkspanCore", "LinkspanCrypto", "LinkspanServer", "DeviceRegistry",
        "PushProvider", "TestSupport",
      ],
      swiftSettings: settings),

    .testTarget(
      name: "LinkspanDaemonTests",
      dependencies: [
        "LinkspanDaemon", "HTTPEngine", "LinkspanCore", "LinkspanServer", "PushProvider", "TestSupport",
      ],
      swiftSettings: settings),

    .testTarget(
      name: "LinkspanStandInsTests", dependencies: ["LinkspanStandIns", "LinkspanCore"],
      swiftSettings: settings),

    // The built binary, as a person runs it.
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "LinkspanCLI", "LinkspanDaemon", "LinkspanCore", "LinkspanCrypto", "AppBundle", "AppSiteAssociation",
        "LinkspanServer", "HTTPTransport", "HTTPEngine", "HTTPClientEngine", "PushProvider",
        "TestSupport",
      ],
      swiftSettings: settings),

    .testTarget(
      name: "LinkspanSimulatorTests",
      dependencies: [
        "LinkspanSimulator", "AppSiteAssociation", "AssociatedDomains", "AssociationDelivery", "LinkspanCore",
        "PushDelivery",
        "AppLifecycle", "Handoff", "LinkspanSpecification", "TestSupport",
      ],
      swiftSettings: settings),

    // The rules of the house, read from the repository itself.
    .testTarget(name: "TidyTests", swiftSettings: settings),
  ] + fuzzTargets + benchmarks,
  swiftLanguageModes: [.v6]
)
