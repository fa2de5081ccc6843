import AppBundle
import LinkspanCore
import Testing

/// The rules of clips in a bundle (AC1 to AC14).
@Suite struct ClipCheckerTests {
  /// What app, clip and widget say; each test changes one thing.
  struct Bundle {
    var clipIdentifier = "com.example.app.Clip"
    var clipTeam = "TEAM123456"
    var minimum = "16.4"
    var info = "<key>NSAppClip</key><dict><key>NSAppClipRequestLocationConfirmation</key><true/></dict>"
    var libraries = ["/usr/lib/libSystem.B.dylib", "/System/Library/Frameworks/UIKit.framework/UIKit"]
    var app =
      "<key>application-identifier</key><string>TEAM123456.com.example.app</string>"
      + list("associated-appclip-app-identifiers", "TEAM123456.com.example.app.Clip")
      + list("associated-domains", "appclips:example.com", "applinks:example.com")
    var clip =
      "<key>application-identifier</key><string>TEAM123456.com.example.app.Clip</string>" + onDemand
      + list("parent-application-identifiers", "TEAM123456.com.example.app")
      + list("associated-domains", "appclips:example.com")
    var more: [(String, [UInt8])] = []

    static let onDemand = "<key>com.apple.developer.on-demand-install-capable</key><true/>"

    static func list(_ key: String, _ values: String...) -> String {
      "<key>com.apple.developer.\(key)</key><array>" + values.map { "<string>\($0)</string>" }.joined()
        + "</array>"
    }

    static func info(_ identifier: String, _ program: String, _ minimum: String, _ more: String = "")
      -> [UInt8]
    {
      Array(
        MachOFixture.plist(
          """
          <key>CFBundleIdentifier</key><string>\(identifier)</string><key>CFBundleExecutable</key>
          <string>\(program)</string><key>MinimumOSVersion</key><string>\(minimum)</string>\(more)
          """
        ).utf8)
    }

    static func program(
      _ identifier: String, _ entitlements: String, team: String = "TEAM123456", _ libraries: [String] = []
    ) -> [UInt8] {
      MachOFixture.thin(
        libraries: libraries,
        signature: MachOFixture.signature(
          identifier, team: team, entitlements: MachOFixture.plist(entitlements), der: nil))
    }

    static func widget(
      _ identifier: String = "com.example.app.Clip.Widget", point: String = "com.apple.widgetkit-extension",
      _ entitlements: String = onDemand
    ) -> [(String, [UInt8])] {
      let kind =
        "<key>NSExtension</key><dict><key>NSExtensionPointIdentifier</key><string>\(point)</string></dict>"
      return [
        ("Payload/App.app/AppClips/Clip.app/PlugIns/W.appex/Info.plist", info(identifier, "W", "16.4", kind)),
        ("Payload/App.app/AppClips/Clip.app/PlugIns/W.appex/W", program(identifier, entitlements)),
      ]
    }

    var findings: [Finding] {
      get throws {
        let files =
          [
            ("Payload/App.app/Info.plist", Self.info("com.example.app", "App", "14.0")),
            ("Payload/App.app/App", Self.program("com.example.app", app)),
            (
              "Payload/App.app/AppClips/Clip.app/Info.plist", Self.info(clipIdentifier, "Clip", minimum, info)
            ),
            (
              "Payload/App.app/AppClips/Clip.app/Clip",
              Self.program(clipIdentifier, clip, team: clipTeam, libraries)
            ),
          ] + more
        let index = FileIndex(MemoryTree(contents: files))
        return ClipChecker(try BundleReader(index).read(), index).check()
      }
    }
  }

  /// AC5: Xcode adds the clip's name when it archives, so a build that it runs lacks it; a wrong name is wrong in each.
  @Test(arguments: [("other", Finding.Severity.note), ("associated-appclip", .error)])
  func aBuildForDevelopmentNeedNotNameItsClip(key: String, severity: Finding.Severity) throws {
    var bundle = Bundle()
    bundle.app = bundle.app.replacing("associated-appclip", with: key).replacing(
      "app.Clip", with: "app.Other")
    bundle.app += "<key>get-task-allow</key><true/>"
    let findings = try bundle.findings
    #expect(
      findings.map(\.rule) == ["clip.app-names-clip"] && findings[0].severity == severity, "\(findings)")
  }

  /// E4: an entry that no device reads is the checker's of entitlements; copying it would repeat the mistake.
  @Test(arguments: ["appclips:*.example.com", "appclips:https://example.org"])
  func anEntryThatNoDeviceReadsIsNotToBeCopied(entry: String) throws {
    var bundle = Bundle()
    bundle.clip = bundle.clip.replacing(
      "appclips:example.com</string>", with: "appclips:example.com</string><string>\(entry)</string>")
    #expect(try bundle.findings == [])
    bundle.app = bundle.app.replacing("applinks:example.com", with: entry)
    #expect(try bundle.findings == [])
  }

  @Test func aRightClipHasNoFinding() throws {
    var bundle = Bundle()
    #expect(try bundle.findings == [])
    bundle.more = Bundle.widget()
    #expect(try bundle.findings == [])
  }

  static let inClip = "Payload/App.app/AppClips/Clip.app/"

  static let cases: [(rule: String, change: @Sendable (inout Bundle) -> Void)] = [
    ("identifier", { $0.clipIdentifier = "com.example.appclip" }),
    ("identifier", { $0.clipIdentifier = "com.example.app." }),
    ("team", { $0.clipTeam = "OTHER12345" }),
    (
      "several",
      {
        $0.more = [
          ("Payload/App.app/AppClips/B.app/Info.plist", Bundle.info("com.example.app.B", "B", "16.4"))
        ]
      }
    ),
    ("on-demand-install", { $0.clip = $0.clip.replacing(Bundle.onDemand, with: "") }),
    ("on-demand-install", { $0.clip = $0.clip.replacing("<true/>", with: "<false/>") }),
    (
      "parent",
      {
        $0.clip = $0.clip.replacing(
          "TEAM123456.com.example.app</string></array>", with: "TEAM123456.com.example.b</string></array>")
      }
    ),
    ("parent", { $0.clip = $0.clip.replacing("parent-application", with: "other-application") }),
    ("app-names-clip", { $0.app = $0.app.replacing(".Clip", with: ".Other") }),
    ("app-names-clip", { $0.app = $0.app.replacing("associated-appclip", with: "other") }),
    ("domain-app", { $0.app = $0.app.replacing("appclips:example.com", with: "webcredentials:a.b") }),
    ("domain-clip", { $0.clip = $0.clip.replacing("appclips:example.com", with: "applinks:a.b") }),
    (
      "no-domain",
      {
        $0.clip = $0.clip.replacing("appclips:", with: "applinks:")
        $0.app = $0.app.replacing("appclips:", with: "applinks:")
      }
    ),
    ("extension", { $0.more = Bundle.widget(point: "com.apple.share-services") }),
    ("extension-identifier", { $0.more = Bundle.widget("com.example.app.Widget") }),
    ("extension-on-demand", { $0.more = Bundle.widget("com.example.app.Clip.Widget", "") }),
    ("info-key", { $0.info = "<key>NSAppClip</key><true/>" }),
    ("info-key", { $0.info = $0.info.replacing("Confirmation", with: "") }),
    ("info-key", { $0.info = $0.info.replacing("<true/>", with: "<string>YES</string>") }),
    ("dead-framework", { $0.libraries.append("/System/Library/Frameworks/HealthKit.framework/HealthKit") }),
    (
      "dead-framework",
      { $0.libraries.append("/System/Library/Frameworks/Photos.framework/Versions/A/Photos") }
    ),
    ("unavailable-key", { $0.info += "<key>CFBundleURLTypes</key><array/>" }),
    ("unavailable-key", { $0.info += "<key>UIBackgroundModes</key><array/>" }),
    ("settings-bundle", { $0.more = [(inClip + "Settings.bundle/Root.plist", [])] }),
    ("on-demand-resources", { $0.more = [(inClip + "OnDemandResources.plist", [])] }),
    ("cloudkit", { $0.clip += Bundle.list("icloud-services", "CloudKit") }),
    (
      "feature-os",
      {
        $0.clip += Bundle.list("icloud-services", "CloudKit-Anonymous")
        $0.minimum = "15.0"
      }
    ),
    (
      "contains",
      { $0.more = [(inClip + "Watch/W.app/Info.plist", Bundle.info("com.example.app.Clip.W", "W", "9.0"))] }
    ),
    ("minimum-os", { $0.minimum = "13.0" }),
  ]

  @Test(arguments: cases.indices) func findsOneThing(_ index: Int) throws {
    let (rule, change) = Self.cases[index]
    var bundle = Bundle()
    change(&bundle)
    let findings = try bundle.findings
    #expect(findings.map(\.rule).contains("clip." + rule), "\(rule): \(findings.map(\.rule))")
    #expect(findings.allSatisfy { $0.help?.isEmpty == false && $0.source != nil })
  }

  @Test func everyRuleIsTestedAndListed() {
    let listed = Set(ClipChecker.rules.map(\.identifier))
    #expect(listed == Set(Self.cases.map { "clip." + $0.rule }))
    #expect(ClipChecker.rules.count == listed.count)
  }

  @Test func severitiesAreThoseOfTheRule() throws {
    for (rule, change) in Self.cases {
      var bundle = Bundle()
      change(&bundle)
      let own = try #require(ClipChecker.rules.first { $0.identifier == "clip." + rule })
      let severities = Finding.Severity.allCases
      for finding in try bundle.findings where finding.rule == own.identifier {
        let (found, worst) = (
          severities.firstIndex(of: finding.severity), severities.firstIndex(of: own.severity)
        )
        #expect((found ?? 0) >= (worst ?? 0), "\(rule)")
        #expect(finding.source == own.source)
      }
    }
  }

  @Test func aKeyIsShownWhereItStands() throws {
    var bundle = Bundle()
    bundle.info += "\n\n<key>UIBackgroundModes</key><array/>"
    let finding = try #require(try bundle.findings.first)
    #expect(finding.location.file == "App.ipa/Payload/App.app/AppClips/Clip.app/Info.plist")
    #expect(finding.location.start?.line == 4)
  }

  /// A clip that was exported by itself has no app beside it.
  @Test func aClipAloneIsCheckedToo() throws {
    let files = [
      ("Payload/Clip.app/Info.plist", Bundle.info("com.example.app.Clip", "Clip", "16.4", Bundle().info)),
      (
        "Payload/Clip.app/Clip",
        Bundle.program("com.example.app.Clip", Bundle().clip, ["/a/HomeKit.framework/HomeKit"])
      ),
    ]
    let index = FileIndex(MemoryTree(contents: files))
    #expect(ClipChecker(try BundleReader(index).read(), index).check().map(\.rule) == ["clip.dead-framework"])
  }

  /// AC7: the parent of a clip alone has the clip's own prefix.
  @Test func theParentOfAClipAloneHasItsPrefix() throws {
    let clip = Bundle().clip.replacing(
      "TEAM123456.com.example.app</string></array>", with: "OTHER12345.com.example.app</string></array>")
    let files = [
      ("Payload/Clip.app/Info.plist", Bundle.info("com.example.app.Clip", "Clip", "16.4", Bundle().info)),
      ("Payload/Clip.app/Clip", Bundle.program("com.example.app.Clip", clip)),
    ]
    let index = FileIndex(MemoryTree(contents: files))
    #expect(ClipChecker(try BundleReader(index).read(), index).check().map(\.rule) == ["clip.parent"])
  }

  @Test func anAppWithoutAClipHasNone() throws {
    let index = FileIndex(
      MemoryTree(contents: [("Info.plist", Bundle.info("com.example.app", "App", "14.0"))]))
    #expect(ClipChecker(try BundleReader(index).read(), index).check() == [])
  }
}
