// swift-tools-version: 6.0
import PackageDescription

/// Every Swift target is held to the same rules; `make check` adds warnings as errors.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// For targets that hold the planted bugs of the service swarm: debug builds have them, releases have not even their names.
let plantedSettings = settings + [.define("PLANTED_BUGS", .when(configuration: .debug))]

/// Optimises the sources of a debug build. The Makefile asks for it where all tests run; SwiftPM takes no dependency with the flag.
let optimisation: [SwiftSetting] =
  Context.environment["LINKSPAN_OPTIMISED"] == nil
  ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// What the tests spend their time in. To optimise a target takes four times as long as to compile it: with the
/// others, that was four minutes of processor time for half a minute of tests.
let optimisedRooms: Set = [
  "LinkspanCore", "LinkLanguages", "HeldURLs", "AssociatedDomains", "AppSiteAssociation", "AssociationCheck",
  "LinkspanDecisions", "PNGPictures", "PushProvider", "DeviceRegistry", "RegistryDatabases",
  "SimulatedDevices", "SimulatedStores", "LinkspanForecast", "LinkspanSimulator", "ServiceSwarm",
]

/// Where every file is compiled, as in `.ci/run`, which asks for it, a module at once takes less processor time than its files in
/// groups: a third less where it is optimised, else a sixth. Where a few files have changed, their groups take less.
let wholeModule =
  Context.environment["LINKSPAN_WHOLE_MODULES"] == nil
  ? [] : ["-disable-batch-mode", "-whole-module-optimization", "-num-threads", "2"]

/// Beside these nothing would be compiled, since nearly everything waits for them.
let modulesInGroups: Set = ["LinkspanCore", "AppSiteAssociation"]

func whole(_ name: String, _ flags: [String] = []) -> [SwiftSetting] {
  wholeModule.isEmpty || modulesInGroups.contains(name)
    ? [] : [.unsafeFlags(wholeModule + flags, .when(configuration: .debug))]
}

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
    fuzz("FuzzAlgebra", of: ["AppSiteAssociation", "AssociationCheck"]),
    fuzz("FuzzAPNs", of: ["LinkspanCrypto", "PushStandIn"]),
    fuzz("FuzzArchive", of: ["AppBundle"]),
    fuzz("FuzzCMS", of: ["AppSiteAssociation", "LinkspanCrypto"]),
    fuzz("FuzzDER", of: ["AppBundle"]),
    fuzz("FuzzEditor", of: ["LinkspanEditor"]),
    fuzz("FuzzHandoff", of: ["Handoff"]),
    fuzz("FuzzHeldURL", of: ["AppSiteAssociation", "HeldURLs"]),
    fuzz("FuzzHTTP1", of: ["HTTPEngine"]),
    fuzz("FuzzHTTP2", of: ["HTTPEngine"]),
    fuzz("FuzzHTTP2Client", of: ["HTTPEngine"]),
    fuzz("FuzzJSON", of: ["AppSiteAssociation", "AssociationCheck"]),
    fuzz("FuzzMachO", of: ["AppBundle"]),
    fuzz("FuzzMCP", of: ["LinkspanMCP"]),
    fuzz("FuzzPayload", of: ["PushDelivery", "PushProvider", "PushTerms"]),
    fuzz("FuzzPNG", of: ["PNGPictures"]),
    fuzz("FuzzPropertyList", of: ["AppBundle"]),
    fuzz("FuzzProviderToken", of: ["LinkspanCrypto", "PushProvider"]),
    fuzz("FuzzRegistry", of: ["PushProvider", "PushTerms", "RegistryRequests"]),
    fuzz("FuzzReview", of: ["SourceReview"]),
    fuzz("FuzzRoutes", of: ["AppSiteAssociation", "LinkCoverage", "LinkLanguages"]),
    fuzz("FuzzStory", of: ["AppSiteAssociation", "LinkspanSimulator", "LinkspanStories"]),
    fuzz("FuzzTag", of: ["AppClips"]),
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
      dependencies: [
        "AppSiteAssociation", "AssociationCheck", "LinkCoverage", "LinkExplanation", "LinkspanCore",
        "LinkspanSimulator", "LinkspanStories", "SimulatedDevices",
      ],
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

/// A target: its name, the targets of ours that it imports, what it is made of, and files of its folder that are embedded
/// elsewhere. Its folder is `Sources/FLOOR/NAME`.
struct Room {
  enum Kind {
    case swift, planted, loop, program, c
  }

  let name: String
  let needs: [String]
  let kind: Kind
  let exclude: [String]

  init(_ name: String, needs: [String] = [], kind: Kind = .swift, exclude: [String] = []) {
    self.name = name
    self.needs = needs
    self.kind = kind
    self.exclude = exclude
  }

  func target(on floor: String) -> Target {
    let path = "Sources/\(floor)/\(name)"
    let dependencies = needs.map { Target.Dependency(stringLiteral: $0) }
    let optimisation = (optimisedRooms.contains(name) ? optimisation : []) + whole(name)
    func target(_ settings: [SwiftSetting]) -> Target {
      .target(
        name: name, dependencies: dependencies, path: path, exclude: exclude,
        swiftSettings: settings + optimisation)
    }
    return switch kind {
    case .swift: target(settings)
    case .planted: target(plantedSettings)
    case .loop: target(loopSettings)
    case .c: target([])
    case .program:
      .executableTarget(
        name: name, dependencies: dependencies, path: path, swiftSettings: settings + optimisation)
    }
  }
}

/// A folder of `Sources` and the targets in it. A target may need targets of its own floor, and of the floors below it.
struct Floor {
  let name: String
  /// The floors that stand beside it, and know it as little as it knows them.
  let beside: [String]
  let rooms: [Room]

  init(_ name: String, beside: [String] = [], _ rooms: [Room]) {
    self.name = name
    self.beside = beside
    self.rooms = rooms
  }
}

/// The tests of a target, in `Tests/NAME`.
struct Suite {
  let name: String
  let needs: [String]
  /// Whether they start the built program.
  let runsProgram: Bool

  init(_ name: String, needs: [String] = [], runsProgram: Bool = false) {
    self.name = name
    self.needs = needs
    self.runsProgram = runsProgram
  }

  var target: Target {
    // Nothing imports a suite, so nothing waits for its module.
    .testTarget(
      name: name, dependencies: needs.map { Target.Dependency(stringLiteral: $0) },
      swiftSettings: settings + whole(name, ["-no-emit-module-separately-wmo"]))
  }
}

/// The one description of who may know whom, from the top floor down. The dependencies below are made from it; TidyTests
/// read it, compare it with every import, and draw the picture of Documentation/ARCHITECTURE.md from it.
let house: [Floor] = [
  Floor(
    "Program",
    [
      Room(
        "LinkspanCLI",
        needs: [
          "LinkspanDoctor", "LinkspanEditor", "ServiceCommands", "SwarmCommands", "LinkspanSiteCommands",
          "LinkspanAppCommands",
          "LinkspanCommand", "LinkspanMCP", "LinkspanFiles", "LinkspanCore",
        ], kind: .program),
      Room(
        "LinkspanEditor",
        needs: [
          "RuleCatalogue", "LinkspanCommand", "LinkspanStories", "LinkspanForecast", "ServiceConfiguration",
          "SiteInput", "LinkspanFiles", "HTTPEngine", "AssetLinks", "AssociationCheck", "AppSiteAssociation",
          "AssociatedDomains", "LinkspanSpecification", "LinkspanSystem", "LinkspanCore", "CLinkspanPlatform",
        ]),
      Room(
        "LinkspanDoctor",
        needs: [
          "LinkspanSiteCommands", "LinkspanCommand", "LinkspanStandIns", "LinkExplanation",
          "LinkspanSimulator", "LinkspanStories", "SimulatedDevices", "SiteInput", "LinkspanFiles",
          "HTTPTransport", "PushDelivery", "AppBundle", "AssociationDelivery", "AssociationCheck",
          "AppSiteAssociation",
          "AssociatedDomains", "LinkspanCore",
        ]),
      Room(
        "ServiceCommands",
        needs: [
          "SiteInput", "PushSending", "LinkspanCommand", "ConsolePages", "LinkspanForecast",
          "LinkspanDaemon", "ServiceConfiguration", "LinkspanConsole", "LinkspanServer", "DeviceRegistry",
          "RegistryRequests", "LinkspanFiles", "HTTPEngine", "PushCampaigns", "PushTerms", "LinkCoverage",
          "AssociationCheck", "AppSiteAssociation", "LinkspanCrypto", "LinkspanCore",
        ]),
      Room(
        "LinkspanSiteCommands",
        needs: [
          "RuleCatalogue", "LinkspanCommand", "ServiceConfiguration", "LinkspanStandIns", "LinkExplanation",
          "LinkspanSimulator",
          "LinkspanStories", "SimulatedDevices", "LinkspanForecast", "LoadGenerator", "LinkspanServer",
          "SiteInput", "LinkspanFiles", "AccessLogs",
          "HTTPEngine", "HTTPTransport", "PushDelivery", "PushProvider", "PushTerms", "AppBundle",
          "AppLifecycle",
          "LinkCoverage", "AssociationDelivery", "AssetLinks", "Swcutil", "AssociationCheck",
          "AppSiteAssociation", "LinkLanguages", "HeldURLs", "AssociatedDomains", "LinkspanCrypto",
          "LinkspanSpecification", "LinkspanSystem", "LinkspanCore",
        ]),
      Room(
        "SwarmCommands",
        needs: [
          "LinkspanCommand", "ServiceSwarm", "SimulatedDevices", "LinkspanFiles", "LinkspanCrypto",
          "LinkspanCore",
        ]),
      Room(
        "LinkspanAppCommands",
        needs: [
          "RuleCatalogue", "LinkspanCommand", "LinkspanStandIns", "PushConnections", "SiteInput",
          "LinkspanFiles",
          "HTTPTransport", "PushStandIn", "PushProvider", "PushTerms", "AppBundle", "AppClips", "Handoff",
          "SourceReview", "PNGPictures", "HeldURLs", "LinkspanCrypto", "LinkspanSystem", "LinkspanCore",
          "LinkspanDecisions",
        ]),
      Room(
        "LinkspanCommand",
        needs: [
          "LinkspanStandIns", "LinkspanSimulator", "LinkspanStories", "ServiceConfiguration",
          "LinkspanServer",
          "SiteInput", "LinkspanFiles", "HTTPTransport", "PushProvider", "AppBundle", "AssociationCheck",
          "AppSiteAssociation", "HeldURLs", "LinkspanCrypto", "LinkspanSystem", "LinkspanCore",
        ]),
      // Apart from the commands, so that a new rule of one target builds only those that list all of them.
      Room(
        "RuleCatalogue",
        needs: [
          "SiteInput", "SourceReview", "AppClips", "AppBundle", "PushProvider", "AssociationDelivery",
          "AssetLinks", "AssociationCheck", "AppSiteAssociation", "LinkspanCore",
        ]),
      Room(
        "ConsolePages",
        needs: [
          "LinkExplanation", "LinkspanSimulator", "LinkspanStories", "SimulatedDevices", "LinkspanForecast",
          "LinkspanConsole", "LinkspanServer", "AppSiteAssociation", "LinkspanCore",
        ]),
      Room("LinkspanMCP", needs: ["LinkspanCore"]),
    ]),
  Floor(
    "Simulation",
    [
      Room(
        "LinkspanStandIns",
        needs: [
          "LinkspanSimulator", "LinkspanStories", "SimulatedDevices", "LinkspanServer",
          "SiteInput", "LinkspanFiles", "HTTPClientEngine", "HTTPEngine", "HTTPTransport", "PushStandIn",
          "AssociationDelivery", "AppSiteAssociation", "LinkspanSystem", "LinkspanCore", "CLinkspanPlatform",
        ]),
      Room(
        "LinkExplanation",
        needs: [
          "LinkspanSimulator", "LinkspanStories", "SimulatedDevices", "AppLifecycle", "AssociationCheck",
          "AppSiteAssociation", "HeldURLs", "AssociatedDomains", "LinkspanCore",
        ]),
      Room(
        "LinkspanSimulator",
        needs: [
          "LinkspanStories", "SimulatedDevices", "PushDelivery", "PushProvider", "PushTerms", "AppClips",
          "AppLifecycle", "Handoff", "AssociationDelivery", "AppSiteAssociation", "AssociatedDomains",
          "LinkspanSpecification", "LinkspanCore", "CLinkspanResources", "LinkspanDecisions",
        ],
        exclude: [
          "Timeline/timeline.js", "Timeline/timeline-marks.js", "Timeline/timeline-chart.js",
          "Timeline/timeline-tables.js", "Timeline/timeline-controls.js", "Timeline/timeline-page.js",
          "Timeline/timeline-selfcheck.js", "Timeline/timeline.css",
        ]),
      Room(
        "LinkspanStories",
        needs: [
          "SimulatedDevices", "PushDelivery", "PushProvider", "PushTerms", "AppClips", "AppLifecycle",
          "Handoff",
          "AssociationDelivery", "AppSiteAssociation", "AssociatedDomains", "LinkspanCore",
          "LinkspanDecisions",
        ]),
      Room(
        "SimulatedDevices",
        needs: [
          "LinkspanServer", "Handoff", "AssociationDelivery", "AppSiteAssociation", "AssociatedDomains",
          "LinkspanCrypto", "LinkspanSpecification", "LinkspanCore",
        ]),
      Room(
        "ServiceSwarm",
        needs: [
          "SimulatedStores", "PushSending", "PushConnections", "RegistryDatabases", "SimulatedDevices",
          "LinkspanDaemon",
          "LinkspanConsole",
          "RegistryServer", "LinkspanServer", "DeviceRegistry", "RegistryRequests", "AccessLogs",
          "HTTPTransport",
          "PushStandIn", "PushProvider", "PushTerms", "LinkspanCrypto", "LinkspanCore",
        ], kind: .planted),
      Room(
        "SimulatedStores",
        needs: [
          "RegistryDatabases", "LinkspanDaemon", "DeviceRegistry", "RegistryRequests", "LinkspanFiles",
          "LinkspanCore", "CSQLite",
        ]),
      Room(
        "LinkspanForecast", needs: ["LinkspanCore", "CLinkspanResources"], exclude: ["Picture/forecast.css"]),
      Room("LoadGenerator", needs: ["CLinkspanPlatform", "CCrypto", "CGnuTLS"]),
    ]),
  Floor(
    "Service",
    [
      Room(
        "LinkspanDaemon",
        needs: [
          "PushSending", "LinkspanConsole", "ServiceConfiguration", "RegistryServer", "LinkspanServer",
          "DeviceRegistry", "RegistryRequests", "SiteInput", "LinkspanFiles", "HTTPEngine", "HTTPTransport",
          "PushProvider",
          "PushTerms",
          "AssociationDelivery", "AssetLinks", "AssociationCheck", "AppSiteAssociation", "LinkspanCrypto",
          "LinkspanSystem", "LinkspanCore", "CLinkspanPlatform", "CLinkspanLibrary",
        ], kind: .planted),
      Room(
        "PushSending",
        needs: [
          "PushConnections", "ServiceConfiguration", "RegistryServer", "LinkspanServer", "DeviceRegistry",
          "RegistryDatabases", "RegistryRequests",
          "LinkspanFiles", "HTTPClientEngine", "HTTPEngine", "HTTPTransport", "PushCampaigns", "PushProvider",
          "PushTerms", "LinkspanCrypto", "LinkspanSystem", "LinkspanCore", "LinkspanDecisions",
        ], kind: .planted),
      Room(
        "LinkspanConsole",
        needs: [
          "RegistryServer", "LinkspanServer", "DeviceRegistry", "RegistryRequests", "PushProvider",
          "AssetLinks", "AssociationCheck", "AppSiteAssociation", "AssociatedDomains", "LinkspanCrypto",
          "LinkspanCore", "CLinkspanResources",
        ], kind: .planted, exclude: ["Style/console.css", "Style/console.js"]),
      // What 'push send' and the servers' senders share: connections to APNs and what they do when one ends.
      Room(
        "PushConnections",
        needs: [
          "LinkspanFiles", "HTTPClientEngine", "HTTPEngine", "HTTPTransport", "PushProvider", "PushTerms",
          "LinkspanSystem", "LinkspanCore",
        ]),
      Room(
        "RegistryServer",
        needs: [
          "LinkspanServer", "DeviceRegistry", "RegistryRequests", "PushCampaigns", "PushProvider",
          "PushTerms", "AssetLinks",
          "AppSiteAssociation", "LinkspanCore", "CLinkspanResources",
        ], kind: .planted, exclude: ["Registry/openapi.json"]),
      Room(
        "ServiceConfiguration",
        needs: [
          "LinkspanServer", "LinkspanFiles", "PushProvider", "PushTerms", "AssociationCheck",
          "AppSiteAssociation", "LinkspanCore",
        ]),
      Room(
        "LinkspanServer",
        needs: [
          "PushProvider", "RegistryRequests", "LinkspanFiles", "AssociationDelivery", "AssetLinks",
          "AssociationCheck", "AppSiteAssociation", "LinkspanCrypto", "LinkspanCore",
        ], kind: .planted),
      Room(
        "DeviceRegistry",
        needs: [
          "RegistryDatabases", "RegistryRequests", "PushCampaigns", "PushProvider", "PushTerms",
          "LinkspanSystem", "LinkspanCore", "CLinkspanResources",
        ], kind: .planted,
        exclude: (Array(1...9) + (11...16)).map { "Schema/schema-\($0).sql" }
          + [7, 10, 14].map { "Schema/schema-\($0)-postgres.sql" }
          + [17, 18].map { "Schema/schema-\($0)-sqlite.sql" }),
      Room(
        "RegistryDatabases",
        needs: [
          "RegistryRequests", "LinkspanFiles", "LinkspanSystem", "LinkspanCore", "CLinkspanLibrary",
          "CPostgres", "CSQLite",
        ], kind: .planted),
      Room(
        "RegistryRequests", needs: ["PushCampaigns", "PushProvider", "PushTerms", "LinkspanCore"],
        kind: .planted),
    ]),
  Floor(
    "Input",
    [
      Room(
        "SiteInput",
        needs: [
          "LinkspanFiles", "HTTPClientEngine", "HTTPEngine", "HTTPTransport", "AppBundle",
          "AssociationDelivery", "AssetLinks", "AssociationCheck", "AppSiteAssociation", "AssociatedDomains",
          "LinkspanCore",
        ]),
      Room(
        "LinkspanFiles",
        needs: [
          "AppBundle", "LinkspanCrypto", "LinkspanSystem", "LinkspanCore", "CLinkspanPlatform",
          "CLinkspanLibrary", "CZlib",
        ]),
      Room("AccessLogs", needs: ["LinkspanFiles", "LinkspanCore", "CExpat"]),
    ]),
  Floor(
    "HTTP",
    [
      Room(
        "HTTPClientEngine",
        needs: ["HTTPEngine", "HTTPTransport", "LinkspanSystem", "LinkspanCore", "CLinkspanPlatform"],
        kind: .loop),
      Room(
        "HTTPEngine",
        needs: ["HTTPTransport", "LinkspanSystem", "LinkspanCore", "CLinkspanPlatform", "CNGHTTP2"],
        kind: .loop),
      Room(
        "HTTPTransport",
        needs: [
          "LinkspanCrypto", "LinkspanSystem", "LinkspanCore", "CLinkspanPlatform", "CCrypto", "CGnuTLS",
        ], kind: .loop),
    ]),
  Floor(
    "Push", beside: ["Apps"],
    [
      Room("PushStandIn", needs: ["PushProvider", "PushTerms", "LinkspanCrypto", "LinkspanCore"]),
      Room("PushDelivery", needs: ["PushProvider", "PushTerms", "LinkspanSpecification", "LinkspanCore"]),
      Room("PushCampaigns", needs: ["LinkspanCore"]),
      Room("PushProvider", needs: ["LinkspanCrypto", "LinkspanCore", "LinkspanDecisions"]),
      Room("PushTerms"),
    ]),
  Floor(
    "Apps", beside: ["Push"],
    [
      Room(
        "AppBundle",
        needs: [
          "AssociationCheck", "AppSiteAssociation", "AssociatedDomains", "LinkspanCrypto", "LinkspanCore",
          "CLinkspanResources", "CExpat", "CZip", "CZlib",
        ], exclude: ["Treemap/treemap.css"]),
      Room(
        "AppClips",
        needs: [
          "AppSiteAssociation", "AssociatedDomains", "HeldURLs", "LinkspanCore", "CQREncode", "CZlib",
        ]),
      Room("AppLifecycle", needs: ["LinkspanCore"]),
      Room("Handoff", needs: ["LinkspanCrypto", "LinkspanSpecification", "LinkspanCore"]),
      Room("SourceReview", needs: ["LinkspanCore"]),
      Room("PNGPictures", needs: ["LinkspanCore", "CPNG"]),
    ]),
  // Public: what packages of others depend on, so no unsafe flag and no C library is on its path. Stands above Links because
  // tests and servers ask association files through `LinkspanLinks`; `Linkspan`, which apps carry, needs none of the floors
  // below. The program runs its decisions too, and has no Foundation.
  Floor(
    "Library",
    [
      Room("Linkspan", needs: ["LinkspanDecisions"]),
      Room("LinkspanDecisions"),
      Room(
        "LinkspanLinks",
        needs: [
          "LinkCoverage", "AssociationCheck", "AppSiteAssociation", "LinkLanguages", "AssociatedDomains",
          "LinkspanCore",
        ]),
    ]),
  Floor(
    "Links",
    [
      Room(
        "LinkCoverage",
        needs: ["AssetLinks", "AppSiteAssociation", "LinkLanguages", "AssociatedDomains", "LinkspanCore"]),
      Room("AssociationDelivery", needs: ["AppSiteAssociation", "AssociatedDomains", "LinkspanCore"]),
      Room(
        "AssetLinks", needs: ["AssociationCheck", "AppSiteAssociation", "AssociatedDomains", "LinkspanCore"]),
      Room("Swcutil", needs: ["AppSiteAssociation", "AssociatedDomains", "LinkspanCore"]),
      Room(
        "AssociationCheck",
        needs: ["AppSiteAssociation", "LinkLanguages", "AssociatedDomains", "LinkspanCore"]),
      Room(
        "AppSiteAssociation", needs: ["LinkLanguages", "HeldURLs", "AssociatedDomains", "LinkspanCore"]),
      Room("LinkLanguages", needs: ["LinkspanCore"]),
      Room("AssociatedDomains", needs: ["LinkspanCore"]),
      Room("HeldURLs", needs: ["LinkspanCore"]),
    ]),
  // The vocabulary that floors share, one module map for each of Debian's C libraries, and the corners of the platform
  // that Swift cannot reach.
  Floor(
    "Base",
    [
      Room("LinkspanCrypto", needs: ["LinkspanCore", "CCrypto", "CGnuTLS"]),
      Room("LinkspanSpecification", needs: ["LinkspanCore"]),
      Room("LinkspanSystem", needs: ["LinkspanCore", "CLinkspanPlatform"]),
      Room("LinkspanCore", exclude: ["IDNA/LICENSE-Unicode.txt"]),
      Room("CLinkspanPlatform", kind: .c),
      // Files that are no Swift, such as JavaScript; each lies beside the code that sends it.
      Room("CLinkspanResources", kind: .c),
      // Debian's libraries, each loaded by the first command that calls it.
      Room("CCrypto", needs: ["CLinkspanLibrary"], kind: .c),
      Room("CExpat", needs: ["CLinkspanLibrary"], kind: .c),
      Room("CGnuTLS", needs: ["CLinkspanLibrary"], kind: .c),
      Room("CNGHTTP2", needs: ["CLinkspanLibrary"], kind: .c),
      Room("CPNG", needs: ["CLinkspanLibrary"], kind: .c),
      Room("CPostgres", needs: ["CLinkspanLibrary"], kind: .c),
      Room("CQREncode", needs: ["CLinkspanLibrary"], kind: .c),
      Room("CSQLite", needs: ["CLinkspanLibrary"], kind: .c),
      Room("CZip", needs: ["CLinkspanLibrary"], kind: .c),
      Room("CZlib", needs: ["CLinkspanLibrary"], kind: .c),
      Room("CLinkspanLibrary", kind: .c),
    ]),
]

let suites: [Suite] = [
  Suite("AccessLogsTests", needs: ["AccessLogs", "LinkspanFiles", "LinkspanCore"]),
  Suite(
    "AppBundleTests",
    needs: [
      "AppBundle", "AssetLinks", "AssociationCheck", "AppSiteAssociation", "AssociatedDomains",
      "LinkspanCore", "TestSupport",
    ]),
  Suite("AppClipsTests", needs: ["AppClips", "HeldURLs", "LinkspanCore"]),
  Suite("AppLifecycleTests", needs: ["AppLifecycle", "LinkspanCore"]),
  Suite(
    "AppSiteAssociationTests",
    needs: [
      "Swcutil", "AssociationCheck", "AppSiteAssociation", "LinkLanguages", "AssociatedDomains",
      "LinkspanCore", "TestSupport",
    ]),
  Suite("AssetLinksTests", needs: ["AssetLinks", "AppSiteAssociation", "LinkspanCore", "TestSupport"]),
  Suite(
    "AssociationDeliveryTests",
    needs: ["AssociationDelivery", "AppSiteAssociation", "AssociatedDomains", "LinkspanCore", "TestSupport"]),
  Suite(
    "DeviceRegistryTests",
    needs: [
      "RegistryDatabases",
      "DeviceRegistry", "RegistryRequests", "LinkspanFiles", "PushCampaigns", "PushProvider", "PushTerms",
      "LinkspanSystem", "LinkspanCore", "CSQLite", "TestSupport",
    ]),
  Suite(
    "EndToEndTests",
    needs: [
      "ServiceConfiguration", "PushConnections", "HTTPClientEngine", "HTTPEngine", "HTTPTransport",
      "PushProvider", "AppBundle", "AssociatedDomains", "LinkspanCrypto", "LinkspanCore", "TestSupport",
    ], runsProgram: true),
  Suite(
    "HTTPEngineTests",
    needs: [
      "LinkspanServer", "HTTPClientEngine", "HTTPEngine", "HTTPTransport", "LinkspanSystem", "LinkspanCore",
      "CLinkspanPlatform", "CGnuTLS", "CNGHTTP2", "TestSupport",
    ]),
  Suite("HeldURLsTests", needs: ["HeldURLs", "LinkspanCore", "TestSupport"]),
  Suite("HandoffTests", needs: ["Handoff", "LinkspanCrypto", "LinkspanCore"]),
  Suite(
    "LinkCoverageTests",
    needs: [
      "AccessLogs", "LinkCoverage", "AssociationCheck", "AppSiteAssociation", "LinkLanguages", "LinkspanCore",
      "TestSupport",
    ]),
  Suite(
    "LinkspanConsoleTests",
    needs: [
      "RegistryServer", "ConsolePages", "LinkspanConsole", "LinkspanServer", "DeviceRegistry",
      "RegistryRequests", "PushProvider", "PushTerms", "LinkspanCrypto", "LinkspanCore", "TestSupport",
    ]),
  Suite("LinkspanCoreTests", needs: ["LinkspanCore", "TestSupport"]),
  Suite(
    "LinkspanCryptoTests", needs: ["HTTPTransport", "AppSiteAssociation", "LinkspanCrypto", "LinkspanCore"]),
  Suite(
    "LinkspanDaemonTests",
    needs: [
      "ServiceConfiguration", "RegistryServer", "PushSending", "LinkspanDaemon", "LinkspanConsole",
      "LinkspanServer", "DeviceRegistry", "RegistryDatabases", "RegistryRequests", "PushConnections",
      "SiteInput", "LinkspanFiles", "HTTPEngine", "PushCampaigns", "PushProvider", "PushTerms",
      "LinkspanCrypto", "LinkspanSystem", "LinkspanCore", "TestSupport",
    ]),
  Suite(
    "LinkspanEditorTests",
    needs: ["LinkspanEditor", "LinkspanStories", "SiteInput", "LinkspanCore", "TestSupport"]),
  Suite(
    "LinkspanFilesTests",
    needs: ["LinkspanFiles", "AppBundle", "LinkspanCrypto", "LinkspanCore", "TestSupport"]),
  Suite("LinkspanForecastTests", needs: ["LinkspanForecast", "LinkspanCore"]),
  Suite("LinkspanLinksTests", needs: ["AppSiteAssociation", "LinkspanCore", "LinkspanLinks", "TestSupport"]),
  Suite("LinkspanMCPTests", needs: ["LinkspanMCP", "LinkspanCore"]),
  Suite(
    "LinkspanServerTests",
    needs: [
      "RegistryServer", "LinkspanServer", "DeviceRegistry", "RegistryRequests", "HTTPTransport",
      "PushCampaigns", "PushProvider", "PushTerms", "AssetLinks", "AssociationCheck",
      "AppSiteAssociation", "LinkspanCrypto", "LinkspanCore", "TestSupport",
    ]),
  Suite(
    "LinkspanSimulatorTests",
    needs: [
      "LinkExplanation", "LinkspanSimulator", "LinkspanStories", "SimulatedDevices", "RegistryRequests",
      "PushDelivery", "PushProvider", "PushTerms", "AppLifecycle", "Handoff", "LinkCoverage",
      "AssociationDelivery", "AssociationCheck", "Swcutil", "AppSiteAssociation", "AssociatedDomains",
      "LinkspanSpecification",
      "LinkspanCore", "TestSupport",
    ]),
  Suite("LinkspanStandInsTests", needs: ["LinkspanStandIns", "LinkspanCore"]),
  Suite(
    "LinkspanTests",
    needs: [
      "AppBundle", "AppLifecycle", "AssociationCheck", "AppSiteAssociation", "LinkLanguages", "LinkspanCore",
      "CZlib", "Linkspan", "LinkspanDecisions",
    ]),
  Suite("LinkspanSystemTests", needs: ["LinkspanSystem", "LinkspanCore"]),
  Suite("LoadGeneratorTests", needs: ["LoadGenerator", "CGnuTLS"]),
  Suite("PNGPicturesTests", needs: ["PNGPictures", "LinkspanCore", "CZlib"]),
  Suite("PushCampaignsTests", needs: ["PushCampaigns", "LinkspanCore", "TestSupport"]),
  Suite("PushDeliveryTests", needs: ["PushDelivery", "PushProvider", "PushTerms", "LinkspanCore"]),
  Suite("PushProviderTests", needs: ["PushProvider", "LinkspanCrypto", "LinkspanCore", "TestSupport"]),
  Suite(
    "PushStandInTests",
    needs: [
      "PushStandIn", "PushDelivery", "PushProvider", "PushTerms", "LinkspanCrypto", "LinkspanCore",
      "TestSupport",
    ]),
  Suite("RegistryRequestsTests", needs: ["RegistryRequests", "PushProvider", "PushTerms", "LinkspanCore"]),
  Suite(
    "ServiceSwarmTests",
    needs: [
      "RegistryDatabases", "RegistryRequests", "PushCampaigns", "PushProvider", "PushTerms",
      "PushSending", "ServiceSwarm", "SimulatedStores", "SimulatedDevices", "LinkspanDaemon",
      "LinkspanServer", "DeviceRegistry",
      "LinkspanFiles", "LinkspanCrypto", "LinkspanCore", "TestSupport",
    ]),
  Suite(
    "SiteInputTests",
    needs: [
      "SiteInput", "LinkspanFiles", "AssociationDelivery", "AssociationCheck", "AppSiteAssociation",
      "AppBundle", "LinkspanCrypto", "LinkspanCore", "TestSupport",
    ]),
  Suite("SourceReviewTests", needs: ["SourceReview", "LinkspanCore", "TestSupport"]),
  Suite("TidyTests"),
]

/// `make test FLOOR=Links` leaves out what stands above that floor or beside it, and the tests that need it, so that a change
/// waits for the tests of its floor alone.
let chosenFloors: [Floor] = {
  guard let name = Context.environment["LINKSPAN_FLOOR"] else { return house }
  guard let index = house.firstIndex(where: { $0.name == name }) else {
    fatalError("LINKSPAN_FLOOR=\(name): there are \(house.map(\.name).joined(separator: ", "))")
  }
  return house[index...].filter { !$0.beside.contains(name) }
}()
let chosenRooms = Set(chosenFloors.flatMap { $0.rooms.map(\.name) })
let chosenSuites = suites.filter { suite in
  chosenRooms.union(["TestSupport"]).isSuperset(of: suite.needs)
    && (!suite.runsProgram || chosenRooms.contains("LinkspanCLI"))
}

let unknownRooms = optimisedRooms.union(modulesInGroups).subtracting(house.flatMap { $0.rooms.map(\.name) })
precondition(unknownRooms.isEmpty, "no target is named \(unknownRooms.sorted().joined(separator: ", "))")

let package = Package(
  name: "linkspan",
  // Demanded by the library `Linkspan` alone, which uses `Clock`; the program runs on Linux.
  platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .executable(name: "linkspan", targets: ["LinkspanCLI"]),
    .library(name: "Linkspan", targets: ["Linkspan"]),
    .library(name: "LinkspanLinks", targets: ["LinkspanLinks"]),
  ].filter { chosenRooms.contains($0.name == "linkspan" ? "LinkspanCLI" : $0.name) },
  targets: chosenFloors.flatMap { floor in floor.rooms.map { $0.target(on: floor.name) } }
    + chosenSuites.map(\.target)
    + [
      .target(
        name: "TestSupport", dependencies: ["LinkspanCore"], path: "Tests/TestSupport",
        swiftSettings: settings)
    ] + benchmarks + fuzzTargets,
  swiftLanguageModes: [.v6]
)
