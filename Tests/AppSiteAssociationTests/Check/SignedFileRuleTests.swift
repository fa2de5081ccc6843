import AppSiteAssociation
import AssociationCheck
import LinkspanCore
import Testing

/// What no example of a rule can show as text: signed files are bytes.
@Suite struct SignedFileRuleTests {
  /// A DER element with a short or a long length.
  static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length = count < 0x80 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    return [tag] + length + content
  }

  /// SignedData around some content, with nothing in it that would hold a signature.
  static func signed(_ content: [UInt8]?) -> [UInt8] {
    let data = element(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01])
    let inside = content.map { element(0xA0, element(0x04, $0)) } ?? []
    let signedData = element(0x30, element(0x02, [1]) + element(0x31, []) + element(0x30, data + inside))
    let type = element(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02])
    // Padding makes it as long as real ones are, which have certificates.
    return element(0x30, type + element(0xA0, signedData) + element(0x04, Array(repeating: 0, count: 200)))
  }

  static func found(_ bytes: [UInt8]) -> [String] {
    AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", bytes: bytes)))
      .map { "\($0.rule) \($0.severity.rawValue)" }
  }

  @Test func whatIsInsideIsReadAndChecked() {
    let good = #"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}"#
    #expect(Self.found(Self.signed(Array((good + "}").utf8))) == ["aasa.signed warning"])
    #expect(
      Self.found(Self.signed(Array((good + #","applink":1}"#).utf8)))
        == ["aasa.signed warning", "aasa.unknown-service error"])
    #expect(
      Self.found(Self.signed(Array(#"{"applinks":{"details":[],}}"#.utf8)))
        == ["aasa.signed warning", "json.trailing-comma error"])
  }

  @Test func aDetachedSignatureHoldsNothing() {
    #expect(Self.found(Self.signed(nil)) == ["aasa.signed error"])
  }

  @Test func anUnreadableOneIsNotCalledBadJSON() {
    #expect(Self.found([0x30, 0x82, 0x01, 0x00, 0xFF, 0x7B]) == ["aasa.signed error"])
  }

  /// It says itself how long it is, so that nobody looks for a detached signature.
  @Test(arguments: [4, 40, 100, 200]) func oneThatIsCutOffIsToldSo(count: Int) {
    let whole = Self.signed(Array(#"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#.utf8))
    let source = AssociationSource(SourceText(name: "file", bytes: Array(whole.prefix(count))))
    let found = AssociationChecker.findings(in: source)
    #expect(
      found.map(\.message) == ["The file is signed and cut off: it has \(count) of \(whole.count) bytes."],
      "\(found)")
    #expect(found.first?.rule == "aasa.signed" && found.first?.severity == .error)
  }

  @Test func textThatBeginsWithZeroIsText() {
    #expect(!Self.found(Array("0123".utf8)).contains { $0.hasPrefix("aasa.signed") })
  }
}
