/// The types that a file gives to its variables and parameters, by their names: `let router: Router`, `router = Router()`,
/// `Router *router`.
struct VariableTypes: Sendable {
  /// What the words of a declaration say of a type.
  private enum Reading {
    case type(String)
    case unclear
    /// The words are no declaration, or repeat a name that has one.
    case nothing
  }

  private var readings: [String: Reading] = [:]

  init(_ tokens: [Token], _ language: SourceLanguage) {
    for index in tokens.indices.dropFirst() where tokens[index].kind == .word {
      let reading =
        switch language {
        case .swift: Self.swift(index, tokens)
        case .objectiveC: Self.objectiveC(index, tokens)
        }
      let name = tokens[index].text
      switch (reading, readings[name]) {
      case (.nothing, _): break
      case (.type(let type), .type(let known)?) where type == known: break
      case (_, nil): readings[name] = reading
      default: readings[name] = .unclear
      }
    }
  }

  /// nil for a name that the file declares nowhere, or with several types.
  func type(of name: String) -> String? {
    if case .type(let type)? = readings[name] { type } else { nil }
  }

  func knows(_ name: String) -> Bool { readings[name] != nil }

  /// The members by which a type names an object of its own.
  static let instances: Set<String> = [
    "shared", "default", "main", "current", "standard", "instance", "sharedInstance", "defaultInstance",
  ]

  private static func isType(_ token: Token) -> Bool {
    token.kind == .word && token.text.first?.isUppercase ?? false
  }

  private static func swift(_ index: Int, _ tokens: [Token]) -> Reading {
    let isDeclaration = tokens[index - 1].isWord("let") || tokens[index - 1].isWord("var")
    guard index + 2 < tokens.count, !tokens[index - 1].isMark(".") || tokens[max(0, index - 2)].isWord("self")
    else { return .nothing }
    var place = index + 2
    let isTyped = tokens[index + 1].isMark(":")
    // `if let router {`
    guard isTyped || tokens[index + 1].isMark("=") else { return .nothing }
    while place + 1 < tokens.count, ["any", "some"].contains(tokens[place].text) { place += 1 }
    // `guard let router = self.router else`
    if tokens[place].isWord("self"), place + 2 < tokens.count, tokens[place + 1].isMark(".") { place += 2 }
    if tokens[place].isWord(tokens[index].text) { return .nothing }
    guard isType(tokens[place]) else { return isDeclaration ? .unclear : .nothing }
    let next = place + 1 < tokens.count ? tokens[place + 1] : nil
    if next?.isMark(".") ?? false {
      let isInstance = place + 2 < tokens.count && instances.contains(tokens[place + 2].text)
      return isInstance ? .type(tokens[place].text) : .unclear
    }
    if isTyped || next?.isMark("(") ?? false { return .type(tokens[place].text) }
    return isDeclaration ? .unclear : .nothing
  }

  private static func objectiveC(_ index: Int, _ tokens: [Token]) -> Reading {
    guard index > 1, tokens[index - 1].isMark("*"), isType(tokens[index - 2]) else { return .nothing }
    return .type(tokens[index - 2].text)
  }
}
