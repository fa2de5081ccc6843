import AppBundle
import Foundation
import LinkspanCore
import Testing

@Suite struct InfoPlistTests {
  @Test func readsIdentityActivitiesAndSchemes() throws {
    let plist = try Fixture.infoPlist(
      """
      <key>CFBundleIdentifier</key><string>com.example.app</string>
      <key>CFBundleShortVersionString</key><string>1.2</string>
      <key>CFBundleVersion</key><string>34</string>
      <key>MinimumOSVersion</key><string>15.0</string>
      <key>NSUserActivityTypes</key><array><string>com.example.read</string><string>SendIntent</string></array>
      <key>CFBundleURLTypes</key>
      <array>
        <dict><key>CFBundleURLSchemes</key><array><string>example</string><string>ex</string></array></dict>
        <dict><key>CFBundleURLName</key><string>none</string></dict>
        <dict><key>CFBundleURLSchemes</key><array><string>other</string></array></dict>
      </array>
      """)
    #expect(plist.bundleIdentifier?.value == "com.example.app")
    #expect(plist.version?.value == "1.2")
    #expect(plist.build?.value == "34")
    #expect(plist.minimumOS?.value == "15.0")
    #expect(plist.userActivityTypes.map(\.value) == ["com.example.read", "SendIntent"])
    #expect(plist.urlSchemes.map(\.value) == ["example", "ex", "other"])
    #expect(plist.urlSchemes.last?.pointer == "/CFBundleURLTypes/2/CFBundleURLSchemes/0")
    #expect(!plist.isAppClip)
    #expect(plist.findings.isEmpty)
  }

  @Test(arguments: [
    ("", nil), ("<key>UIApplicationSceneManifest</key><string>a</string>", nil),
    ("<key>UIApplicationSceneManifest</key><dict/>", []),
    (
      """
      <key>UIApplicationSceneManifest</key><dict>
        <key>UISceneConfigurations</key><dict>
          <key>UIWindowSceneSessionRoleApplication</key><array>
            <dict><key>UISceneDelegateClassName</key><string>$(PRODUCT_MODULE_NAME).SceneDelegate</string></dict>
            <dict><key>UISceneConfigurationName</key><string>Second</string></dict>
          </array>
          <key>UIWindowSceneSessionRoleExternalDisplayNonInteractive</key><array>
            <dict><key>UISceneDelegateClassName</key><string>ScreenDelegate</string></dict>
          </array>
        </dict>
      </dict>
      """, ["SceneDelegate", "ScreenDelegate"]
    ),
  ])
  func namesTheDelegatesOfScenes(text: String, classes: [String]?) throws {
    #expect(try Fixture.infoPlist(text).sceneDelegates == classes)
  }

  /// LC2: what says that it is an app of the SDK for iOS 27, each time with one thing changed.
  @Test(arguments: [
    ("", true), ("iphoneos27.0 iphonesimulator28.1", true), ("iphoneos27.0 iphoneos26.4", false),
    ("iphoneos27.0 iphoneos", false), ("iphoneos27.0 macosx27.0", false), ("APPL FMWK", false),
    ("APPL XPC!", false), ("Other UIApplicationSceneManifest", false), ("Other NSExtension", false),
    ("DTSDKName DTOther", false),
  ])
  func anAppOfANewSDKDeclaresScenes(change: String, isFound: Bool) throws {
    var text = """
      <key>CFBundlePackageType</key><string>APPL</string><key>DTSDKName</key><string>iphoneos27.0</string>
      <key>Other</key><dict/>
      """
    let words = change.split(separator: " ")
    if words.count == 2 { text = text.replacing(words[0], with: words[1]) }
    let findings = try Fixture.infoPlist(text).findings
    #expect(findings.map(\.rule) == (isFound ? ["info-plist.no-scenes"] : []), "\(findings)")
  }

  @Test func knowsAnAppClip() throws {
    #expect(try Fixture.infoPlist("<key>NSAppClip</key><dict/>").isAppClip)
  }

  @Test(arguments: [
    ("<key>CFBundleIdentifier</key><array/>", "'CFBundleIdentifier' is an array, not a string."),
    (
      "<key>NSUserActivityTypes</key><string>a</string>",
      "'NSUserActivityTypes' is a string, not an array of strings."
    ),
    (
      "<key>CFBundleURLTypes</key><dict/>",
      "'CFBundleURLTypes' is a dictionary, not an array of dictionaries."
    ),
    (
      "<key>CFBundleURLTypes</key><array><string>a</string></array>",
      "An element of 'CFBundleURLTypes' is a string, not a dictionary."
    ),
    (
      "<key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key><string>a</string></dict></array>",
      "'CFBundleURLSchemes' is a string, not an array of strings."
    ),
    (
      "<key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key><array><true/></array></dict></array>",
      "An element of 'CFBundleURLSchemes' is a boolean, not a string."
    ),
  ])
  func wrongTypesAreFindings(lines: String, message: String) throws {
    let findings = try Fixture.infoPlist(lines).findings
    #expect(findings.map(\.message) == [message])
    #expect(findings.map(\.rule) == ["info-plist.wrong-type"])
  }

  /// Handoff hashes types in lower case (HO1, B.4).
  @Test(arguments: [
    (
      ["com.example.edit", "com.example.Edit"],
      ["'com.example.Edit' and 'com.example.edit' differ only in case."]
    ),
    (["com.example.edit", "com.example.edit"], []), (["com.example.edit", "com.example.view"], []),
    (["ConfigurationIntent", "INSendMessageIntent"], []),
  ])
  func typesThatDifferInCaseCollide(types: [String], messages: [String]) throws {
    let list = types.map { "<string>\($0)</string>" }.joined()
    let findings = try Fixture.infoPlist("<key>NSUserActivityTypes</key><array>\(list)</array>").findings
    #expect(findings.map(\.message) == messages)
    for finding in findings {
      #expect(finding.rule == "info-plist.activity-case-collision")
      #expect(finding.location.pointer == "/NSUserActivityTypes/1")
    }
  }
}

/// The Info.plists of real apps, compared with Foundation's reading of them.
@Suite(.enabled(if: RealFiles.arePresent, Comment(rawValue: RealFiles.absence)))
struct InfoPlistCorpusTests {
  @Test func everyFileIsReadAsFoundationReadsIt() throws {
    let files = try RealFiles.all(in: "infoplist")
    #expect(files.count == 48)
    var clips: [String] = []
    var findings: [String] = []
    for (name, bytes) in files + (try RealFiles.all(in: "entitlements")) {
      let document = try PropertyListDocument(bytes, name: name)
      let theirs = try PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil)
      let shapes = (ours: PropertyListShape.of(document.root), theirs: PropertyListShape.of(theirs))
      #expect(shapes.ours == shapes.theirs, "\(name)")
      let plist = try InfoPlist(document)
      for finding in plist.findings {
        findings.append("\(name.prefix(3)) \(finding.rule): \(finding.message)")
      }
      if plist.isAppClip { clips.append(String(name.prefix(3))) }
    }
    #expect(clips == ["002", "021", "056"])
    let twice = "plist.duplicate-key: The key 'AppIcon-green' occurs twice in one dictionary."
    #expect(findings == ["022 \(twice)", "024 \(twice)", "025 \(twice)"])
  }

  @Test func factsOfTheSpecificationHold() throws {
    let files = try RealFiles.all(in: "infoplist")
    func plist(_ number: String) throws -> InfoPlist {
      let file = try #require(files.first { $0.name.hasPrefix(number) })
      return try InfoPlist(file.bytes, name: file.name)
    }
    // Types and names of intents (HO4).
    #expect(try plist("013").userActivityTypes.map(\.value) == ["INSendMessageIntent"])
    #expect(try plist("022").userActivityTypes.map(\.value) == ["ConfigurationIntent"])
    #expect(try plist("070").document.format == .binary)
  }
}
