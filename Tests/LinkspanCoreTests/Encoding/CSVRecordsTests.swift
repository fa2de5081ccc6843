import Testing

@testable import LinkspanCore

/// RFC 4180, with blanks around fields that people write.
@Suite struct CSVRecordsTests {
  private static func records(_ text: String) throws(CSVRecords.Mistake) -> [[CSVField]] {
    var reader = CSVRecords(Array(text.utf8))
    var records: [[CSVField]] = []
    while let record = try reader.next() { records.append(record) }
    return records
  }

  @Test(
    arguments: [
      ("", []), ("\n\r\n", []), ("a", [["a"]]), ("a,b\nc", [["a", "b"], ["c"]]),
      ("\n\na\r\n\r\nb\n", [["a"], ["b"]]),
      (",", [["", ""]]), ("a,\nb", [["a", ""], ["b"]]), (" a b\t,\t c ", [["a b", "c"]]),
      ("  ,x", [["", "x"]]),
      (#""a,b""#, [["a,b"]]), (#" "a" , "b" "#, [["a", "b"]]), (#""a""b""""#, [[#"a"b""#]]), (#""""#, [[""]]),
      ("\"a\nb\",c\n", [["a\nb", "c"]]), ("\"a\"\r\n\"b\"", [["a"], ["b"]]), ("\u{FEFF}a", [["a"]]),
      ("\" a \"", [[" a "]]),
    ] as [(String, [[String]])])
  func readsRecords(text: String, records: [[String]]) throws {
    #expect(try Self.records(text).map { $0.map(\.text) } == records)
  }

  @Test func fieldsHavePlaces() throws {
    let fields = try Self.records("\u{FEFF} a , \"b\"\"c\" ,d")[0]
    #expect(fields.map(\.range) == [4..<5, 8..<14, 16..<17])
  }

  @Test(
    arguments: [
      (#"a"b"#, 1, "a quote is in the middle of a field"),
      (#"x,a ""#, 4, "a quote is in the middle of a field"),
      (#"x,"a"#, 2, "a quoted field has no end"), (#"""#, 0, "a quoted field has no end"),
      (#""a""b"#, 0, "a quoted field has no end"), (#""a" b"#, 4, "text follows the end of a quoted field"),
      (#""a"b"#, 3, "text follows the end of a quoted field"),
    ] as [(String, Int, String)])
  func mistakesHavePlaces(text: String, place: Int, reason: String) {
    #expect(throws: CSVRecords.Mistake(place: place, reason: reason)) { try Self.records(text) }
  }

  @Test func bytesThatAreNoTextAreRefused() {
    var reader = CSVRecords([0x61, 0x2C, 0xFF])
    #expect(throws: CSVRecords.Mistake(place: 2, reason: "a field is not UTF-8")) { try reader.next() }
  }

  @Test(
    arguments: [
      ("a", "a"), ("", ""), ("a,b", #""a,b""#), (#"a"b"#, #""a""b""#), ("a\nb", "\"a\nb\""),
      ("a\rb", "\"a\rb\""),
      (" a", #"" a""#), ("a ", #""a ""#), ("a b", "a b"),
      ("\ta", "\"\ta\""), ("a\t", "\"a\t\""), ("\"\u{301}", "\"\"\"\u{301}\""),
    ] as [(String, String)])
  func whatIsWrittenIsReadAgain(text: String, written: String) throws {
    #expect(CSVField.written(text) == written)
    #expect(try Self.records(written + ",x")[0][0].text == text)
  }
}
