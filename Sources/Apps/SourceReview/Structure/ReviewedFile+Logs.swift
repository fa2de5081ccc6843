/// What code writes to a log, told by names.
extension ReviewedFile {
  /// Ours: the words between the name of a call and what it gets.
  private static let argumentLimit = 40

  /// Whether a value is an argument of something that writes a log, by its name: nothing is decided by it.
  func isLogged(_ index: Int) -> Bool {
    var place = index - 1
    while place > 0, index - place < Self.argumentLimit {
      let token = tokens[place]
      if token.isMark("{") || token.isMark("}") || token.isMark(";") { return false }
      if let partner = token.partner, partner > index {
        switch (token.text, language) {
        case ("[", .objectiveC):
          if isLogMessage(place) { return true }
          // `NSLog(@"%@", [token description])`: a message without arguments reads a value, and what is around it gets it.
          guard (place..<partner).allSatisfy({ !tokens[$0].isMark(":") }) else { return false }
        // A list or a dictionary, as in `track("link", ["url": url])`.
        case ("[", .swift): break
        // `log("link", String((token as NSData).description))`: brackets of an expression, and a text of a value.
        case ("(", .swift) where tokens[place - 1].kind == .mark || tokens[place - 1].isWord("String"): break
        default: return LogName(tokens[place - 1].text).isLog
        }
      } else {
        place = token.partner.map { min($0, place) } ?? place
      }
      place -= 1
    }
    return false
  }

  /// `[Log write:url]`, `[Analytics trackLink:url]`: the receiver or the first part of the selector says so.
  private func isLogMessage(_ bracket: Int) -> Bool {
    guard bracket + 2 < tokens.count, tokens[bracket + 1].kind == .word else { return false }
    return LogName(tokens[bracket + 1].text).isLog || LogName(tokens[bracket + 2].text).isLog
  }
}

/// A name as the words that it is made of: `NSLog`, `recordOpenURL`, `os_log`.
struct LogName {
  private let name: String
  private let words: [String]
  /// How many words in capitals it begins with: `LXRecordURL`.
  private let prefixCount: Int

  init(_ name: String) {
    self.name = name
    var words: [String] = [""]
    var before: Character = "A"
    for character in name {
      if character == "_" || character.isUppercase && !before.isUppercase { words.append("") }
      // The last capital of `NSLog` begins a word.
      if character.isLowercase, before.isUppercase, let last = words.last, last.count > 1 {
        words[words.count - 1].removeLast()
        words.append(String(before))
      }
      if character != "_" { words[words.count - 1].append(character) }
      before = character
    }
    words.removeAll(where: \.isEmpty)
    prefixCount = words.prefix { $0.allSatisfy(\.isUppercase) }.count
    self.words = words.map { $0.lowercased() }
  }

  private static let verbs: Set<String> = ["log", "print", "dump"]

  /// Whether it writes for somebody who reads later: developers, or those who count visits. `showTrack` shows something, and
  /// `logIn` and `printAndOpen` do more than they write.
  var isLog: Bool {
    if name == "debug" || name == "info" || isMacro { return true }
    guard !words.contains("and"), !words.contains("then") else { return false }
    return ["record", "track", "trace"].contains(words.dropFirst(prefixCount).first)
      || words.indices.contains { index in
        Self.verbs.contains(words[index])
          && !(index + 1 < words.count && ["in", "out", "on", "off"].contains(words[index + 1]))
      }
  }

  /// Whether what has this name is about a log: `writeToLogFile`, `FileLogger`, and not `logInDate`.
  var isAboutLogs: Bool {
    words.indices.contains { index in
      ["logs", "logger", "loggers", "logging"].contains(words[index])
        || words[index] == "log"
          && !(index + 1 < words.count && ["in", "out", "on", "off"].contains(words[index + 1]))
    }
  }

  /// Whether a call of this name writes a log and does nothing else, beyond doubt: `NSLog`, `debugPrint`, `os_log`,
  /// `logError`. `logMeal` may add something that the app shows, and `openLog` opens something.
  var onlyLogs: Bool {
    if isMacro { return true }
    guard let verb = words.firstIndex(where: Self.verbs.contains) else { return false }
    let levels: Set<String> = [
      "info", "debug", "error", "warning", "notice", "verbose", "message", "url", "link", "deep", "universal",
    ]
    return words[..<verb].allSatisfy { $0.count <= 2 || ["debug", "dev", "write"].contains($0) }
      && words[(verb + 1)...].allSatisfy(levels.contains)
  }

  /// Whether it is a macro for one level: `WLOG`, `DLOG`.
  private var isMacro: Bool { ["DLOG", "ELOG", "ILOG", "TLOG", "VLOG", "WLOG"].contains(name) }

  /// Whether it is a level of a log: `logger.notice`.
  func isLevel(of base: LogName) -> Bool {
    ["trace", "debug", "info", "notice", "warning", "error", "fault", "critical", "verbose"].contains(name)
      && base.words.contains { ["log", "logger", "logging"].contains($0) }
  }
}
