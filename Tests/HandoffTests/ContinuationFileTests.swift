import Foundation
import Handoff
import LinkspanCore
import LinkspanCrypto
import Testing

/// The signed file of iOS 8, made by openssl (HO9).
@Suite struct ContinuationFileTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Examples/stories/recipe-site")
  private static let during = WallTime("2014-09-20T08:00:00Z")!

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Self.folder.appending(path: name)))
  }

  private func refusal(_ bytes: [UInt8], at moment: WallTime = during) throws -> String {
    let authorities = TrustedAuthorities(pem: try self.bytes("authority.pem"))
    do throws(ContinuationFile.Refusal) {
      return try ContinuationFile(bytes, trusting: authorities, at: moment).apps.joined(separator: ",")
    } catch {
      #expect(!error.message.isEmpty)
      return error.name
    }
  }

  @Test func isTakenWithItsSignature() throws {
    #expect(try refusal(bytes("apple-app-site-association")) == "ABCDE12345.com.example.recipes")
  }

  @Test func isRefusedWithAChangedByte() throws {
    let good = try bytes("apple-app-site-association")
    let text = Array("recipes\"]".utf8)
    let place = try #require(good.indices.first { good[$0...].starts(with: text) })
    var changed = good
    changed[place] = UInt8(ascii: "R")
    #expect(try refusal(changed) == "signature-mismatch")
    // Any other byte, wherever it is.
    for index in stride(from: 0, to: good.count, by: 7) {
      var changed = good
      changed[index] ^= 0x40
      #expect(try refusal(changed) != "ABCDE12345.com.example.recipes", "byte \(index)")
    }
  }

  @Test func isRefusedOutsideItsCertificatesTime() throws {
    let good = try bytes("apple-app-site-association")
    #expect(try refusal(good, at: WallTime("2034-09-02T00:00:00Z")!) == "expired")
    #expect(try refusal(good, at: WallTime("2014-08-01T00:00:00Z")!) == "not-yet-valid")
  }

  @Test func isRefusedUnsigned() throws {
    let plain = Array(#"{"activitycontinuation":{"apps":[]}}"#.utf8)
    #expect(try refusal(plain) == "not-signed-data")
    // Also by a device that trusts nobody: an authority would not help.
    #expect {
      try ContinuationFile(plain, trusting: nil, at: Self.during)
    } throws: {
      ($0 as? ContinuationFile.Refusal)?.name == "not-signed-data"
    }
  }

  @Test func trustsNobodyByItself() throws {
    let good = try bytes("apple-app-site-association")
    #expect(throws: ContinuationFile.Refusal.self) {
      try ContinuationFile(good, trusting: nil, at: Self.during)
    }
  }
}
