import LinkspanCore
import Testing

@Suite struct EditTests {
  @Test(arguments: [
    ("applink:x", "applinks:x", 7, 7, "s"), ("a", "a", 1, 1, ""), ("aa", "a", 1, 2, ""),
    ("\u{E9}", "\u{E8}", 0, 2, "\u{E8}"), ("x\u{C3A9}", "x\u{D3A9}", 1, 4, "\u{D3A9}"), ("", "b", 0, 0, "b"),
  ])
  func changesTheLeast(old: String, new: String, lower: Int, upper: Int, text: String) {
    let edit = Edit.change(old, at: 10, to: new)
    #expect(edit == Edit(10 + lower..<10 + upper, text))
    let source = SourceText(name: "f", String(repeating: " ", count: 10) + old + "!")
    #expect(
      String(decoding: source.bytes(applying: [edit]), as: UTF8.self)
        == String(repeating: " ", count: 10) + new + "!")
  }

  @Test func editsAreMadeInTheOrderOfTheirPlaces() {
    let source = SourceText(name: "f", "abc")
    let edits: [Edit] = [.remove(2..<3), .insert("1", at: 0), .insert("2", at: 0), Edit(0..<1, "A")]
    #expect(String(decoding: source.bytes(applying: edits), as: UTF8.self) == "12Ab")
  }
}
