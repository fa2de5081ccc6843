internal import LinkspanCore

/// What is wrong with the text of a pattern (S2, S6).
package enum PatternProblem: Hashable, Sendable {
  case undefinedVariable(String)
  case emptyVariable(String)
  /// `$(` without `)`.
  case unterminatedVariable
  /// A name with `$` or `(` in it.
  case invalidVariableName(String)
}

/// Turns the text of a pattern into tokens, for one file's variables and one reading of text.
package struct PatternCompiler: Sendable {
  /// nil when the release knows no variables: `$(` is literal there.
  let variables: SubstitutionVariables?
  let form: TextForm

  package init(variables: SubstitutionVariables?, form: TextForm = TextForm()) {
    self.variables = variables
    self.form = form
  }

  /// - Parameter text: UTF-8.
  func compile(_ text: [UInt8]) -> Pattern {
    var problems: [PatternProblem] = []
    let tokens = tokens(of: text, problems: &problems)
    return Pattern(tokens: problems.isEmpty ? tokens : nil)
  }

  /// Everything that keeps the pattern from ever matching.
  package func problems(in text: String) -> [PatternProblem] {
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
    if variables?.isDefined(name) == false, let set = PredefinedVariables.characterSet(name) {
      return .oneCharacter(form.isCaseSensitive ? set : set.folded)
    }
    guard let list = variables?.list(name, isCaseSensitive: form.isCaseSensitive) else {
      problems.append(.undefinedVariable(name))
      return nil
    }
    if list.isEmpty {
      problems.append(.emptyVariable(name))
      return nil
    }
    return .oneOf(list)
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
  convenience init(_ values: [String], form: TextForm) {
    self.init(
      values.map { value in
        var builder = TokenBuilder()
        for byte in value.utf8 { builder.append(character: byte) }
        return builder.finished(form: form)
      })
  }
}
