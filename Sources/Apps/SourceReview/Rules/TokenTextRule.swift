internal import LinkspanCore

extension ReviewRule {
  static let tokenText = ReviewRule(
    "token-text", "The text of a device token is made of its bytes.", .error, source: "SR15",
    words: [
      "eviceToken", "oken: Data", "oken data: Data", "oken:(NSData", "PushCredentials", "extension Data",
    ],
    bad: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
        ) {
          let text = deviceToken.⟦description⟧.trimmingCharacters(in: CharacterSet(charactersIn: "<>"))
          server.register(text)
        }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
        ) {
          server.register(⟦"\\(deviceToken as NSData)"⟧)
        }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
        ) {
          let bytes = NSData(data: deviceToken)
          server.register(bytes.⟦description⟧.replacingOccurrences(of: " ", with: ""))
        }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
        ) {
          server.register(String(data: ⟦deviceToken⟧, encoding: .utf8) ?? "")
        }
      }
      """,
      """
      @implementation AppDelegate
      - (void)application:(UIApplication *)application
          didRegisterForRemoteNotificationsWithDeviceToken:(NSData *)deviceToken {
        NSString *text = [[deviceToken ⟦description⟧] stringByReplacingOccurrencesOfString:@" " withString:@""];
        [self.server registerToken:text];
      }
      @end
      """,
      """
      @implementation AppDelegate
      - (void)application:(UIApplication *)application
          didRegisterForRemoteNotificationsWithDeviceToken:(NSData *)deviceToken {
        [self.server registerToken:[NSString stringWithFormat:@"%@", ⟦deviceToken⟧]];
      }
      @end
      """,
    ],
    good: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
        ) {
          logger.info("token: \\(deviceToken)")
          server.register(deviceToken.map { String(format: "%02x", $0) }.joined())
        }
      }
      """,
      """
      @implementation AppDelegate
      - (void)application:(UIApplication *)application
          didRegisterForRemoteNotificationsWithDeviceToken:(NSData *)deviceToken {
        NSLog(@"%@ %@", deviceToken, [deviceToken description]);
        [self.server registerToken:[deviceToken hexadecimalText]];
      }
      @end
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    let message = "the text of a device token is made by describing it"
    let help =
      "Since iOS 13 a description is '{length = 32, bytes = 0x…}', and the server cannot use it. Write each byte as two "
      + "hexadecimal digits."
    for (place, function, body) in program.functions(in: file, where: { $0.tokenParameter != nil }) {
      guard let name = function.tokenParameter else { continue }
      let names = reviewed.aliases(of: name, in: body)
      for index in body
      where
        (reviewed.describes(names, index, in: body) || program.describesElsewhere(names, index, in: place))
        && !reviewed.isLogged(index) && !reviewed.isOnlyLogged(index, in: body)
      {
        report.add(index, message, help: help)
        break
      }
      if let index = body.first(where: { reviewed.decodes(names, $0) && !reviewed.isLogged($0) }) {
        report.add(
          index, "a device token is read as characters, and its bytes are none",
          help: "Such a text is nil, or not the token. Write each byte as two hexadecimal digits.")
      }
    }
    // `extension Data { var tokenText: String { description.trimmingCharacters(…) } }`
    for type in reviewed.types where type.isExtension && ["Data", "NSData"].contains(type.name) {
      let isTrimmed = type.body.contains {
        reviewed.tokens[$0].kind == .text && reviewed.tokens[$0].text.contains("<")
      }
      guard isTrimmed,
        let index = type.body.first(where: { reviewed.tokens[$0].isWord("description") }),
        index > 0, !reviewed.tokens[index - 1].isWord("var")
      else { continue }
      report.add(index, message, help: help)
    }
  }
}

extension ReviewedProgram {
  /// Whether a function that gets the token makes its text by describing it.
  fileprivate func describesElsewhere(_ names: Set<String>, _ index: Int, in place: Place) -> Bool {
    guard files[place.file].tokens[index].kind == .word, names.contains(files[place.file].tokens[index].text),
      let taker = taker(of: index, in: place), let body = function(taker.place).body
    else { return false }
    let other = files[taker.place.file]
    // A token by its own name is found there.
    guard function(taker.place).tokenParameter == nil else { return false }
    return body.contains { other.describes([taker.parameter], $0, in: body) && !other.isLogged($0) }
  }
}

extension ReviewedFunction {
  /// The name of a device token among the parameters.
  fileprivate var tokenParameter: String? {
    parameters.first { parameter in
      if parameter.type.contains("PKPushCredentials") { return true }
      let isBytes = parameter.type.contains("Data") || parameter.type.contains("NSData")
      return isBytes && (parameter.label + parameter.name).lowercased().contains("token")
    }?.name
  }
}

extension ReviewedFile {
  /// A value and the names it is given: `let data = deviceToken as NSData`.
  fileprivate func aliases(of name: String, in body: Range<Int>) -> Set<String> {
    var names: Set<String> = [name]
    for index in body.dropFirst(2) where tokens[index].kind == .word && names.contains(tokens[index].text) {
      if let copy = copyName(of: index) { names.insert(copy) }
      guard tokens[index - 1].isMark("="), tokens[index - 2].kind == .word, index + 1 < tokens.count else {
        continue
      }
      let next = tokens[index + 1]
      let isToken = next.isMark(".") && index + 2 < tokens.count && tokens[index + 2].isWord("token")
      if isToken || next.isMark(";") || next.isMark("}") || next.isWord("as") || beginsLine(index + 1) {
        names.insert(tokens[index - 2].text)
      }
    }
    return names
  }

  /// Whether a token is made a text as if its bytes were characters: `String(data: deviceToken, encoding: .utf8)`.
  fileprivate func decodes(_ names: Set<String>, _ index: Int) -> Bool {
    guard tokens[index].kind == .word, names.contains(tokens[index].text), index > 3,
      index + 3 < tokens.count,
      tokens[index - 1].isMark(":")
    else { return false }
    let label = tokens[index - 2].text
    if language == .objectiveC { return label == "initWithData" && tokens[index + 1].isWord("encoding") }
    return tokens[index - 3].isMark("(") && tokens[index - 4].isWord("String")
      && tokens[index + 1].isMark(",")
      && (label == "data" && tokens[index + 2].isWord("encoding")
        || label == "decoding" && tokens[index + 2].isWord("as"))
  }

  /// The name that a value gets as other bytes: `let data = NSData(data: deviceToken)`.
  private func copyName(of index: Int) -> String? {
    guard index > 6, let open = (index - 3..<index).last(where: { tokens[$0].isMark("(") }),
      ["NSData", "Data"].contains(tokens[open - 1].text), tokens[open - 2].isMark("="),
      tokens[open].partner == index + 1
    else { return nil }
    return tokens[open - 3].text
  }

  /// Whether a text gets a name here that only logs read.
  fileprivate func isOnlyLogged(_ index: Int, in body: Range<Int>) -> Bool {
    let start = statementStart(of: index, in: body)
    guard let sign = (start..<index).first(where: { tokens[$0].isMark("=") }), sign > start else {
      return false
    }
    let name = tokens[sign - 1].text
    let uses = (index..<body.upperBound).filter { place in
      tokens[place].isWord(name) || tokens[place].kind == .text && tokens[place].text.contains("\\(\(name)")
    }
    return !uses.isEmpty && uses.allSatisfy(isLogged)
  }

  /// Whether a token makes a text by describing one of several values.
  fileprivate func describes(_ names: Set<String>, _ index: Int, in body: Range<Int>) -> Bool {
    let token = tokens[index]
    switch token.kind {
    case .text:
      return language == .swift
        && names.contains { name in
          ["\\(\(name))", "\\(\(name) as", "\\(\(name).description", "(describing: \(name))"].contains {
            token.text.contains($0)
          }
        }
    case .word where ["description", "debugDescription"].contains(token.text):
      if language == .objectiveC, names.contains(where: { isMember(index, of: $0) }) { return true }
      guard index > body.lowerBound, tokens[index - 1].isMark(".") else { return false }
      let chain = max(body.lowerBound, chainStart(before: index - 1))..<index
      let isMade = chain.contains { ["map", "reduce", "base64EncodedString"].contains(tokens[$0].text) }
      return !isMade && chain.contains { tokens[$0].kind == .word && names.contains(tokens[$0].text) }
    case .word where names.contains(token.text):
      guard index > 2, index + 1 < tokens.count else { return false }
      if tokens[index - 1].isMark(":"), ["describing", "reflecting"].contains(tokens[index - 2].text) {
        return true
      }
      // `"%@", deviceToken`
      guard tokens[index - 1].isMark(","), tokens[index - 2].kind == .text,
        tokens[index - 2].text.contains("%@")
      else { return false }
      return [")", "]", ","].contains(tokens[index + 1].text) || tokens[index + 1].isWord("as")
    default: return false
    }
  }
}
