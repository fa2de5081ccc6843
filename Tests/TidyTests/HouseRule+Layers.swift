/// A target and the modules of ours that it may import; every row imports only from rows above it.
///
/// This is the picture of Documentation/ARCHITECTURE.md. A new target gets its row here first.
let layers: [(target: String, imports: Set<String>)] = [
  ("CLinkspanPlatform", []),
  ("CLinkspanResources", []),
  ("CCrypto", []),
  ("CExpat", []),
  ("CGnuTLS", []),
  ("CNGHTTP2", []),
  ("CPNG", []),
  ("CPostgres", []),
  ("CQREncode", []),
  ("CSQLite", []),
  ("CZip", []),
  ("CZlib", []),
  ("LinkspanCore", []),
  ("LinkLanguages", ["LinkspanCore"]),
  ("AssociatedDomains", ["LinkspanCore"]),
  ("LinkspanSpecification", ["LinkspanCore"]),
  ("Linkspan", []),
  ("PNGPictures", ["CPNG"]),
  ("SourceReview", ["LinkspanCore"]),
  ("LinkspanCrypto", ["LinkspanCore", "CCrypto", "CGnuTLS"]),
  ("AppSiteAssociation", ["LinkspanCore", "AssociatedDomains", "LinkLanguages"]),
  ("Swcutil", ["LinkspanCore", "AppSiteAssociation", "AssociatedDomains"]),
  ("AccessLogs", ["LinkspanCore", "CZlib"]),
  ("AssetLinks", ["LinkspanCore", "AppSiteAssociation", "AssociatedDomains"]),
  (
    "LinkCoverage",
    [
      "LinkspanCore", "LinkLanguages", "AccessLogs", "AppSiteAssociation", "AssociatedDomains", "AssetLinks",
      "CExpat",
    ]
  ),
  ("AssociationDelivery", ["LinkspanCore", "AppSiteAssociation", "AssociatedDomains"]),
  (
    "AppBundle",
    [
      "LinkspanCore", "LinkspanCrypto", "CLinkspanResources", "AppSiteAssociation", "AssociatedDomains",
      "CExpat", "CZip", "CZlib",
    ]
  ),
  ("AppClips", ["LinkspanCore", "CQREncode", "CZlib"]),
  ("AppLifecycle", ["LinkspanCore"]),
  ("Handoff", ["LinkspanCore", "LinkspanCrypto"]),
  ("PushProvider", ["LinkspanCore", "LinkspanCrypto"]),
  ("PushStandIn", ["LinkspanCore", "LinkspanCrypto"]),
  ("PushDelivery", ["LinkspanCore"]),
  ("LinkspanMCP", ["LinkspanCore"]),
  (
    "DeviceRegistry",
    ["LinkspanCore", "CLinkspanPlatform", "CLinkspanResources", "PushProvider", "CSQLite", "CPostgres"]
  ),
  ("HTTPTransport", ["LinkspanCore", "LinkspanCrypto", "CLinkspanPlatform", "CCrypto", "CGnuTLS"]),
  ("HTTPEngine", ["LinkspanCore", "HTTPTransport", "CLinkspanPlatform", "CNGHTTP2"]),
  ("HTTPClientEngine", ["LinkspanCore", "HTTPTransport", "HTTPEngine", "CLinkspanPlatform"]),
  ("LoadGenerator", ["CCrypto", "CGnuTLS", "CLinkspanPlatform"]),
  (
    "LinkspanServer",
    [
      "LinkspanCore", "CLinkspanResources", "LinkspanCrypto", "AppSiteAssociation",
      "AssetLinks",
      "AssociationDelivery",
      "PushProvider", "DeviceRegistry",
    ]
  ),
  (
    "LinkspanSimulator",
    [
      "LinkspanCore", "CLinkspanResources", "AppSiteAssociation", "AssociatedDomains", "AssociationDelivery",
      "AppBundle",
      "AppClips", "PushDelivery", "PushProvider", "LinkspanCrypto", "AppLifecycle", "Handoff",
      "DeviceRegistry", "LinkspanServer", "Linkspan", "LinkspanSpecification",
    ]
  ),
  ("LinkspanForecast", ["LinkspanCore", "CLinkspanResources"]),
  (
    "LinkspanConsole",
    [
      "LinkspanCore", "CLinkspanResources", "LinkspanCrypto", "AppSiteAssociation", "AssociatedDomains",
      "PushProvider",
      "DeviceRegistry", "LinkspanServer", "LinkspanSimulator", "LinkspanForecast",
    ]
  ),
  (
    "LinkspanDaemon",
    [
      "LinkspanCore", "CLinkspanPlatform", "AppSiteAssociation", "AssociatedDomains", "AssetLinks",
      "AssociationDelivery",
      "AppBundle", "LinkspanCrypto", "PushProvider", "DeviceRegistry", "HTTPTransport", "HTTPEngine",
      "HTTPClientEngine", "LinkspanServer", "LinkspanSimulator", "LinkspanConsole",
    ]
  ),
  (
    "LinkspanStandIns",
    [
      "LinkspanCore", "CLinkspanPlatform", "AppSiteAssociation", "AssociationDelivery",
      "PushStandIn",
      "HTTPTransport", "HTTPEngine", "LinkspanServer", "LinkspanSimulator", "LinkspanDaemon",
    ]
  ),
  ("LinkspanCommand", belowTheCommandLine),
  ("LinkspanSiteCommands", belowTheCommandLine.union(["LinkspanCommand"])),
  ("LinkspanAppCommands", belowTheCommandLine.union(["LinkspanCommand"])),
  (
    "LinkspanCLI",
    [
      "LinkspanCore", "LinkspanMCP", "LinkspanDaemon", "LinkspanCommand", "LinkspanSiteCommands",
      "LinkspanAppCommands",
    ]
  ),
]

/// What every command may use.
private let belowTheCommandLine: Set<String> = [
  "LinkspanCore", "LinkLanguages", "Linkspan", "AppSiteAssociation", "AssociatedDomains", "AssetLinks",
  "AssociationDelivery",
  "AppBundle",
  "AppClips", "LinkspanCrypto", "Handoff", "PushProvider", "PushStandIn", "DeviceRegistry", "HTTPTransport",
  "HTTPEngine", "HTTPClientEngine", "LinkspanServer", "LinkspanSimulator", "LinkspanForecast",
  "LoadGenerator", "LinkspanDaemon", "LinkspanStandIns", "LinkspanConsole", "PushDelivery", "AppLifecycle",
  "LinkCoverage", "AccessLogs", "PNGPictures", "SourceReview", "LinkspanSpecification", "Swcutil",
]

/// Rules about who knows whom.
let layerRules: [HouseRule] = [
  .lines(
    "arrows-point-down-only",
    bad: ["Sources/AppSiteAssociation/A.swift": "internal import HTTPEngine\n"],
    good: ["Sources/AppSiteAssociation/A.swift": "package import LinkspanCore\nimport Synchronization\n"],
    in: { $0.sources.filter { file in layers.contains { $0.target == file.target } } }
  ) { line, file in
    guard let module = importedModule(line).map(String.init), module != file.target,
      layers.contains(where: { $0.target == module }),
      let row = layers.first(where: { $0.target == file.target }), !row.imports.contains(module)
    else { return nil }
    return "\(row.target) may not know \(module): move the code, or the arrow in HouseRule+Layers.swift"
  },

  HouseRule(
    id: "every-target-has-its-layer",
    bad: ["Sources/Stray/A.swift": "\n"], good: ["Sources/LinkspanCore/A.swift": "\n"]
  ) { repository in
    let known = Set(layers.map(\.target))
    let found = Set(
      repository.files.keys.filter { $0.hasPrefix("Sources/") }.map { String($0.split(separator: "/")[1]) })
    return found.subtracting(known).sorted().map {
      Violation(path: "Sources/\($0)", line: 1, message: "give the target a row in HouseRule+Layers.swift")
    }
  },
]
