import AppBundle
import Testing

@Suite struct PropertyListFormatTests {
  @Test(arguments: [
    ("{\"a\": 1}", "This is JSON, not a property list."), ("[1]", "This is JSON, not a property list."),
    ("{ a = b; }", "This is a property list in the old text form."),
    ("{ \"a\" = \"b\"; }", "This is a property list in the old text form."),
    ("// !$*UTF8*$!\n{\n}", "This is a property list in the old text form."),
    ("( a, b )", "This is a property list in the old text form."),
    ("<!DOCTYPE html><html></html>", "This is a web page, not a property list."),
    ("<html>", "This is a web page, not a property list."),
    ("PK\u{3}\u{4}rest", "This is a zip archive, not a property list."),
    ("bplist15garbage", "This is a binary property list of a version other than 00."),
    (
      "hello", "This is not a property list: it begins with neither '<' nor 'bplist00'."
    ),
  ])
  func saysWhatAFileLooksLike(text: String, message: String) {
    let error = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(Array(text.utf8), name: "a")
    }
    #expect(error?.kind == .otherFormat)
    #expect(error?.message == message)
  }

  /// A text form is known behind comments too; what is JSON, or neither, is none.
  @Test(arguments: [
    ("{ a = b; }", true), ("// !$*UTF8*$!\n{ a = b; }", true), ("/* one */ // two\r\n{\n\"a\" = b;\n}", true),
    ("/* not closed { a = b; }", false), ("// { a = b; }", false), ("/", false), ("", false),
    ("// one\n{\"a\": 1}", false), ("/* one */ { \"applinks\" = {} }", false),
  ])
  func knowsTheTextFormBehindComments(text: String, isPropertyList: Bool) {
    #expect(PropertyListDocument.isPropertyList(Array(text.utf8)) == isPropertyList)
  }

  @Test(
    arguments: [
      (
        [0x30, 0x82, 0x01], "This is a signed message in which no property list is found: it may be cut off."
      ),
      ([0xFA, 0xDE, 0x71, 0x71], "This is an entitlements blob of a code signature."),
      ([0xCF, 0xFA, 0xED, 0xFE], "This is a program (Mach-O), not a property list."),
    ] as [([UInt8], String)])
  func saysWhatABinaryFileLooksLike(bytes: [UInt8], message: String) {
    let error = #expect(throws: PropertyListError.self) { try PropertyListDocument(bytes, name: "a") }
    #expect(error?.message == message)
  }

  @Test func limitsHoldBelowAtAndAbove() throws {
    var limits = PropertyListLimits()
    limits.sizeBytes = 19
    limits.depth = 3
    limits.nodeCount = 4
    func kind(_ text: String) -> PropertyListError.Kind? {
      do throws(PropertyListError) {
        _ = try PropertyListDocument(Array(text.utf8), name: "a", limits: limits)
        return nil
      } catch {
        return error.kind
      }
    }
    #expect(kind("<string>a</string>") == nil)
    #expect(kind("<string>ab</string>") == nil)
    #expect(kind("<string>abc</string>") == .tooLarge)
    limits.sizeBytes = 1000
    limits.nodeCount = 100
    #expect(kind("<array><array><true/></array></array>") == nil)
    #expect(kind("<array><array><array><true/></array></array></array>") == nil)
    #expect(kind("<array><array><array><array><true/></array></array></array></array>") == .tooDeep)
    limits.nodeCount = 4
    #expect(kind("<array><true/><true/></array>") == nil)
    #expect(kind("<array><true/><true/><true/></array>") == nil)
    #expect(kind("<array><true/><true/><true/><true/></array>") == .tooManyValues)
  }
}
