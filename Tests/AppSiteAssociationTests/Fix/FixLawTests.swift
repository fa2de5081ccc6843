import AppSiteAssociation
import AssociationCheck
import LinkspanCore
import TestSupport
import Testing

/// Laws of `--fix` over many texts.
@Suite struct FixLawTests {
  static func findings(in bytes: [UInt8]) -> [Finding] {
    AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", bytes: bytes)))
  }

  static func holds(_ bytes: [UInt8], _ name: String, mayReveal: Bool = false) throws {
    let before = findings(in: bytes)
    let result = FixTests.fixed(SourceText(name: "file", bytes: bytes))
    let after = findings(in: result.bytes)
    #expect(after == result.remaining, "\(name)")
    #expect(after.count(of: .error) <= before.count(of: .error), "\(name)")
    #expect(result.isChanged == !result.fixed.isEmpty, "\(name)")
    guard result.isChanged else { return }
    #expect(AssociationContent(result.bytes).document.isWellFormed, "\(name)")
    for finding in result.fixed {
      #expect(
        !after.contains { $0.rule == finding.rule && $0.message == finding.message && $0.fix != nil },
        "\(name): \(finding.text())")
    }
    // What a key in its right spelling means may be odd in its turn; wrong it may not be.
    let errors = after.filter { $0.severity == .error }
    if !mayReveal { #expect(Set(errors.map(\.rule)).isSubset(of: before.map(\.rule)), "\(name)") }
    let again = FixTests.fixed(SourceText(name: "file", bytes: result.bytes))
    #expect(!again.isChanged, "\(name)")
  }

  @Test func everyRulesExamples() throws {
    for rule in AssociationRule.all {
      for text in rule.bad + rule.good {
        let plain = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "⟦" && $0 != "⟧" }))
        try Self.holds(Array(plain.utf8), "\(rule.identifier): \(plain.prefix(200))")
      }
    }
  }

  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func theCorpus() throws {
    let corpus = try #require(Fixtures.corpus)
    var changed = 0
    for row in try corpus.manifest("aasa") {
      let bytes = try corpus.bytes("aasa/\(row[0])")
      try Self.holds(bytes, row[0], mayReveal: true)
      if FixTests.fixed(SourceText(name: row[0], bytes: bytes)).isChanged { changed += 1 }
    }
    #expect(changed > 0)
  }

  // MARK: - Mutations

  /// Ways to spoil a good file, each of which has one way back.
  struct Spoiler {
    var source: SourceText
    var candidates: [[Edit]] = []

    init(_ source: SourceText) {
      self.source = source
      let document = JSONParser.parse(source.bytes)
      if let root = document.root { walk(root) }
      spoilLines()
      candidates.append([.insert("\u{FEFF}", at: 0)])
    }

    private static let misspelt = [
      "exclude": ["exlude", "Exclude", "excludes"], "appIDs": ["appIds", "appids", "AppIDs"],
      "components": ["component", "componets"], "applinks": ["appLinks", "app-links"],
      "details": ["detials", "detail"], "comment": ["coment"], "webcredentials": ["webCredentials"],
      "paths": ["path", "Paths"], "appclips": ["appClips"],
    ]

    private mutating func walk(_ node: JSONNode) {
      switch node.value {
      case .bool(let flag):
        candidates.append([Edit(node.range, flag ? "True" : "False")])
        candidates.append([Edit(node.range, flag ? "TRUE" : "FALSE")])
      case .string(let text): spoilQuotes(text, node.range, isName: false)
      case .array(let elements):
        spoilCommas(elements.map(\.range))
        for element in elements { walk(element) }
      case .object(let members):
        spoilCommas(members.map { $0.nameRange.lowerBound..<$0.value.range.upperBound })
        for member in members {
          spoilQuotes(member.name, member.nameRange, isName: true)
          for wrong in Self.misspelt[member.name] ?? [] {
            candidates.append([Edit(member.nameRange, "\"\(wrong)\"")])
          }
          if member.name == "exclude", let flag = member.value.bool {
            candidates.append([Edit(member.value.range, "\"\(flag)\"")])
          }
          walk(member.value)
        }
      default: break
      }
    }

    private mutating func spoilQuotes(_ text: String, _ range: Range<Int>, isName: Bool) {
      let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && !"\"\\'`".utf8.contains($0) }
      guard isPlain, range.count == text.utf8.count + 2 else { return }
      let (opening, closing) = (
        range.lowerBound..<range.lowerBound + 1, range.upperBound - 1..<range.upperBound
      )
      for marks in [("“", "”"), ("„", "“"), ("«", "»"), ("'", "'")] {
        candidates.append([Edit(opening, marks.0), Edit(closing, marks.1)])
      }
      if isName, !text.isEmpty, text.utf8.allSatisfy({ ASCII.isLetter($0) || $0 == UInt8(ascii: "/") }) {
        candidates.append([.remove(opening), .remove(closing)])
      }
    }

    private mutating func spoilCommas(_ ranges: [Range<Int>]) {
      guard let last = ranges.last else { return }
      candidates.append([.insert(",", at: last.upperBound)])
      for (left, right) in zip(ranges, ranges.dropFirst()) {
        candidates.append([.insert(",", at: left.upperBound + 1)])
        let between = source.bytes[left.upperBound..<right.lowerBound]
        if between.first == UInt8(ascii: ","), between.contains(0x0A) {
          candidates.append([.remove(left.upperBound..<left.upperBound + 1)])
        }
      }
    }

    /// Lines hold no string beyond their end, so a comment may stand at either.
    private mutating func spoilLines() {
      for index in source.bytes.indices where source.bytes[index] == 0x0A {
        candidates.append([.insert("    // a note, \"quoted\" }\n", at: index + 1)])
        candidates.append([.insert("/* a\n   note */\n", at: index + 1)])
        if index > 0, ![0x20, 0x09, 0x0D, 0x0A].contains(source.bytes[index - 1]) {
          candidates.append([.insert(" // a note", at: index)])
          candidates.append([.insert("  # a note", at: index)])
        }
      }
    }

    /// A few spoilers at once that lie apart.
    func spoilt(_ generator: inout SeededGenerator) -> [UInt8] {
      var edits: [Edit] = []
      for _ in 0..<generator.draw(1...6) {
        let chosen = candidates[Int(generator.draw(0...Int64(candidates.count - 1)))]
        let isFree = chosen.allSatisfy { edit in
          edits.allSatisfy { other in
            edit.range.upperBound < other.range.lowerBound || other.range.upperBound < edit.range.lowerBound
          }
        }
        if isFree { edits += chosen }
      }
      return source.bytes(applying: edits)
    }
  }

  static let seeds = 1...120

  /// What was spoilt comes back, byte by byte.
  @Test(arguments: ["bluesky-social-app", "expensify-app", "reflections-projections", "safe-landing-page"])
  func mendingUndoesSpoiling(name: String) throws {
    let source = SourceText(name: "file", bytes: try Fixtures.bytes("aasa/\(name).json"))
    let wanted = FixTests.fixed(source).bytes
    let spoiler = Spoiler(SourceText(name: "file", bytes: wanted))
    for seed in Self.seeds {
      var generator = SeededGenerator(seed: UInt64(seed))
      let spoilt = spoiler.spoilt(&generator)
      let result = FixTests.fixed(SourceText(name: "file", bytes: spoilt))
      guard result.bytes != wanted else { continue }
      let patch = UnifiedDiff.text(from: wanted, to: result.bytes, name: name)
      let before = UnifiedDiff.text(from: wanted, to: spoilt, name: name)
      Issue.record("seed \(seed)\n\(before)\nbecame\n\(patch)\(result.remaining.map { $0.text() }.joined())")
      return
    }
  }
}
