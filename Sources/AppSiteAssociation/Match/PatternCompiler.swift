internal import LinkspanCore

/// What is wrong with the text of a pattern (spec S2, S6).
package enum PatternProblem: Hashable, Sendable {
  case undefinedVariable(String)
  case emptyVariable(String)
  /// `$(` without `)`.
  case unterminatedVariable
  /// A name with `$` or `(` in it.
  case invalidVariableName(String)
}

/// Turns the text of a pattern into tokens, for one file's variables and one reading of text.
struct PatternCompiler: Sendable {
  /// nil when the release knows no variables: `$(` is literal there.
  var variables: [String: [String]]?
  var form: TextForm

  init(variables: [String: [String]]?, form: TextForm = TextForm()) {
    self.variables = variables
    self.form = form
  }

  func compile(_ text: some StringProtocol) -> Pattern {
    var problems: [PatternProblem] = []
    let tokens = tokens(of: Array(text.utf8), problems: &problems)
    return Pattern(tokens: problems.isEmpty ? tokens : nil)
  }

  /// Everything that keeps the pattern from ever matching.
  func problems(in text: String) -> [PatternProblem] {
    var problems: [PatternProblem] = []
    _ = tokens(of: Array(text.utf8), problems: &problems)
    return problems
  }

  private func tokens(of text: [UInt8], problems: inout [PatternProblem]) -> [Pattern.Token] {
    var builder = TokenBuilder()
    var index = 0
    while index < text.count {
      let byte = text[index]
      guard variables != nil, byte == UInt8(ascii: "$"), index + 1 < text.count,
        text[index + 1] == UInt8(ascii: "(")
      else {
        builder.append(character: byte)
        index += 1
        continue
      }
      guard let close = text[index...].firstIndex(of: UInt8(ascii: ")")) else {
        problems.append(.unterminatedVariable)
        break
      }
      let name = String(decoding: text[(index + 2)..<close], as: UTF8.self)
      if let token = variable(name, problems: &problems) { builder.append(token) }
      index = close + 1
    }
    return builder.finished(form: form)
  }

  /// A user's list outranks a predefined variable of that name (S7, inferred).
  private func variable(_ name: String, problems: inout [PatternProblem]) -> Pattern.Token? {
    if name.contains("$") || name.contains("(") {
      problems.append(.invalidVariableName(name))
      return nil
    }
    if variables?[name] == nil, let set = PredefinedVariables.characterSet(name) {
      return .oneCharacter(form.isCaseSensitive ? set : set.folded)
    }
    guard let values = variables?[name] else {
      guard let list = PredefinedLists.list(name, isCaseSensitive: form.isCaseSensitive) else {
        problems.append(.undefinedVariable(name))
        return nil
      }
      return .oneOf(list)
    }
    if values.isEmpty {
      problems.append(.emptyVariable(name))
      return nil
    }
    return .oneOf(PatternList(values, form: form))
  }
}

/// Collects tokens: neighbouring characters become one literal, neighbouring stars one star.
private struct TokenBuilder {
  private var tokens: [Pattern.Token] = []
  private var literal: [UInt8] = []

  mutating func append(character byte: UInt8) {
    switch byte {
    case UInt8(ascii: "*"): append(.anyRun)
    case UInt8(ascii: "?"): append(.anyOne)
    default: literal.append(byte)
    }
  }

  mutating func append(_ token: Pattern.Token) {
    closeLiteral()
    if token == .anyRun, tokens.last == .anyRun { return }
    tokens.append(token)
  }

  private mutating func closeLiteral() {
    if !literal.isEmpty { tokens.append(.literal(literal)) }
    literal = []
  }

  func finished(form: TextForm) -> [Pattern.Token] {
    var copy = self
    copy.closeLiteral()
    guard !form.isCaseSensitive else { return copy.tokens }
    return copy.tokens.map { token in
      if case .literal(let bytes) = token { .literal(CaseFolding.fold(bytes)) } else { token }
    }
  }
}

extension PatternList {
  /// The values of a variable, each of which may hold `*` and `?` (S3) but no variable.
  fileprivate convenience init(_ values: [String], form: TextForm) {
    self.init(
      values.map { value in
        var builder = TokenBuilder()
        for byte in value.utf8 { builder.append(character: byte) }
        return builder.finished(form: form)
      })
  }
}

/// The predefined lists are long and always the same, so they are made once.
private enum PredefinedLists {
  static func list(_ name: String, isCaseSensitive: Bool) -> PatternList? {
    switch name {
    case "region": isCaseSensitive ? regions : foldedRegions
    case "lang": isCaseSensitive ? languages : foldedLanguages
    default: nil
    }
  }

  private static let folded = TextForm(isCaseSensitive: false)
  private static let regions = PatternList(PredefinedVariables.regions, form: TextForm())
  private static let foldedRegions = PatternList(PredefinedVariables.regions, form: folded)
  private static let languages = PatternList(PredefinedVariables.languages, form: TextForm())
  private static let foldedLanguages = PatternList(PredefinedVariables.languages, form: folded)
}
