package import LinkspanCore

/// A source file: its tokens, and the types and functions it declares.
package struct ReviewedFile: Sendable {
  package let source: SourceText
  package let language: SourceLanguage
  let tokens: [Token]
  let types: [ReviewedType]
  private(set) var functions: [ReviewedFunction]
  let variableTypes: VariableTypes
  /// Whether it holds tests: it imports a library for them, or has a test case. A test calls what the system calls in an app.
  let isTest: Bool

  package init(_ source: SourceText, _ language: SourceLanguage) {
    self.source = source
    self.language = language
    tokens = Tokenizer.tokens(source, language)
    switch language {
    case .swift:
      let reader = SwiftDeclarations(tokens)
      types = reader.types
      functions = reader.functions
    case .objectiveC:
      let reader = ObjectiveCDeclarations(tokens)
      types = reader.types
      functions = reader.functions
    }
    variableTypes = VariableTypes(tokens, language)
    isTest = Self.isTest(source, tokens, language)
    for place in functions.indices {
      functions[place].calls = calledNames(in: functions[place].body ?? 0..<0)
    }
  }

  private static let testLibraries: Set<String> = ["Testing", "Quick", "Nimble"]
  private static let testCases: Set<String> = ["QuickSpec", "AsyncSpec", "SPEC_BEGIN", "SpecBegin"]
  /// Ours: the bytes that a file in Objective-C begins its imports with.
  private static let importLimit = 16 << 10

  private static func isTest(_ source: SourceText, _ tokens: [Token], _ language: SourceLanguage) -> Bool {
    let parts = source.name.split(separator: "/")
    // 'ShopTests/Mock.swift' and 'ShopTests.swift'.
    if parts.suffix(2).contains(where: { $0.prefix { $0 != "." }.hasSuffix("Tests") && $0.count > 5 }) {
      return true
    }
    let isNamed = tokens.indices.contains { index in
      guard tokens[index].kind == .word else { return false }
      let word = tokens[index].text
      // XCTest, XCTestCase, XCTAssertEqual …
      return word.hasPrefix("XCT") || testCases.contains(word)
        || index > 0 && tokens[index - 1].isWord("import") && testLibraries.contains(word)
    }
    // The lines of the preprocessor are no tokens.
    return isNamed
      || language == .objectiveC
        && String(decoding: source.bytes.prefix(importLimit), as: UTF8.self).contains("XCTest/XCTest.h")
  }
}

/// The part of a type that one declaration makes: a class, an extension, an implementation.
struct ReviewedType: Sendable {
  let name: String
  /// Superclass and protocols, as written; empty for an implementation in Objective-C.
  let inherited: [String]
  let isExtension: Bool
  /// A class, or the implementation of one.
  let isClass: Bool
  let nameToken: Int
  /// The tokens between its braces, or between `@implementation` and `@end`.
  let body: Range<Int>
}

/// A function or method with its body.
struct ReviewedFunction: Sendable {
  struct Parameter: Sendable {
    /// What callers write; the part of the selector in Objective-C.
    let label: String
    let name: String
    /// The words of its type.
    let type: [String]
  }

  /// Without its labels; in Objective-C the first part of the selector.
  let name: String
  let parameters: [Parameter]
  let isStatic: Bool
  let nameToken: Int
  /// The tokens between its braces; nil for a declaration without a body.
  let body: Range<Int>?
  /// The innermost type around it, as an index; nil for a function of the file.
  let type: Int?
  /// The names of the functions that it calls on the object itself.
  var calls: Set<String> = []

  /// The moment in an app's life at which the system calls it; nil for any other function.
  let moment: Moment?
  /// Whether it answers yes or no.
  let isAnswered: Bool

  init(
    name: String, parameters: [Parameter], isStatic: Bool, isAnswered: Bool, nameToken: Int,
    body: Range<Int>?, type: Int?
  ) {
    self.name = name
    self.parameters = parameters
    self.isStatic = isStatic
    self.isAnswered = isAnswered
    self.nameToken = nameToken
    self.body = body
    self.type = type
    moment = Moment(name, labels: parameters.map(\.label))
  }

  func parameter(ofType type: String) -> Parameter? { parameters.first { $0.type.contains(type) } }
}
