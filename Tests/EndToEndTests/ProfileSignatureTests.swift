import Foundation
import TestSupport
import Testing

/// What `linkspan inspect` says of the signature of a provisioning profile (B5).
@Suite(.enabled(if: SigningAuthority.path != nil, "\(SigningAuthority.absence)"))
struct ProfileSignatureTests {
  private static let profile = """
    <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>Name</key><string>Store</string>
    <key>TeamIdentifier</key><array><string>ABCDE12345</string></array><key>Entitlements</key><dict>
    <key>application-identifier</key><string>ABCDE12345.com.example.app</string></dict></dict></plist>
    """

  /// An .ipa with a profile that openssl has signed, or that was changed afterwards.
  private func tool(_ flags: String = "-nodetach", change: (inout [UInt8]) -> Void = { _ in }) throws -> Tool
  {
    let tool = try SigningAuthority.tool()
    try tool.write(Self.profile, to: "profile.plist")
    try tool.openssl(
      "smime -sign -binary \(flags) -in profile.plist -signer rsa.pem -inkey rsa.key -certfile between.pem "
        + "-outform DER -out profile")
    var bytes = try tool.bytes("profile")
    change(&bytes)
    let info = InspectTests.info.replacing(
      "<dict><key>CFBundleIdentifier</key>",
      with: "<dict><key>CFBundleExecutable</key><string>App</string><key>CFBundleIdentifier</key>")
    try tool.write(info, to: "Payload/App.app/Info.plist")
    let entitlements = BundleClaimsTests.plist(
      "<key>application-identifier</key><string>ABCDE12345.com.example.app</string>")
    try Data(SignedProgram.bytes("com.example.app", team: "ABCDE12345", entitlements: entitlements))
      .write(to: tool.folder.appending(path: "Payload/App.app/App"))
    try Data(bytes).write(to: tool.folder.appending(path: "Payload/App.app/embedded.mobileprovision"))
    try InspectTests.pack(tool, "App.ipa")
    return tool
  }

  private func signature(_ outcome: Tool.Outcome) throws -> [String: Any] {
    let profile = try #require(try outcome.json()["profile"] as? [String: Any])
    return try #require(profile["signature"] as? [String: Any])
  }

  /// Over the content itself, and over attributes that hold its digest, as Apple's are.
  @Test(arguments: ["-nodetach", "-nodetach -noattr"]) func theContentIsVerified(_ flags: String) throws {
    let tool = try tool(flags)
    let outcome = try tool.run("inspect", "App.ipa", "--json")
    #expect(outcome.status == 0, "\(outcome.output)")
    let signature = try signature(outcome)
    #expect(signature["content"] as? String == "verified" && signature["chain"] as? String == "not-checked")
    #expect((signature["signer"] as? String)?.contains("rsa.example.com") == true)
    #expect(try tool.run("inspect", "App.ipa").output.contains("whose chain was not checked"))
  }

  @Test func theChainIsCheckedAgainstNamedAuthoritiesOnly() throws {
    let tool = try tool()
    let good = try tool.run("inspect", "App.ipa", "--ca", "root.pem", "--json")
    #expect(try good.status == 0 && signature(good)["chain"] as? String == "verified")
    let other = try tool.run("inspect", "App.ipa", "--ca", "other.pem", "--json")
    #expect(try other.status == 1 && signature(other)["chain"] as? String == "broken")
    #expect(other.output.contains("signature.profile-chain"))
    #expect(try tool.run("inspect", "App.ipa", "--ca", "profile.plist").status == 2)
  }

  @Test func aChangedProfileIsAnError() throws {
    let tool = try tool { bytes in
      // 'Store' becomes 'Stare'.
      let place = Data(bytes).range(of: Data("Store".utf8))
      if let place { bytes[place.lowerBound + 2] = UInt8(ascii: "a") }
    }
    let outcome = try tool.run("inspect", "App.ipa", "--json")
    #expect(try outcome.status == 1 && signature(outcome)["content"] as? String == "broken")
    #expect(outcome.output.contains("signature.profile-broken"))
  }

  @Test func aProfileWithoutASignatureIsAnError() throws {
    let tool = try tool { $0 = Array(Self.profile.utf8) }
    let outcome = try tool.run("inspect", "App.ipa")
    #expect(outcome.status == 1 && outcome.output.contains("error[signature.profile-unsigned]"))
  }

  /// What is not verified here is said, and is no error.
  @Test func aWeakDigestIsNotVerified() throws {
    let tool = try tool("-nodetach -md sha1")
    let outcome = try tool.run("inspect", "App.ipa", "--json")
    #expect(try outcome.status == 0 && signature(outcome)["content"] as? String == "not-verified")
    #expect(outcome.output.contains("signature.profile-not-verified"))
  }
}
