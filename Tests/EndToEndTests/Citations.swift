import Foundation

/// What answers cite: members of JSON by their names, and what stands in brackets before a certainty.
struct Citations {
  /// Each identifier once, with a command that printed it.
  private(set) var commands: [String: String] = [:]
  /// How many were read, repeated ones too.
  private(set) var count = 0

  /// A number in `source`; what is no number there is a title or an address.
  private let number =
    /(?:(?:DF|AC|HO|LC|SR|[A-Z])\d{1,2}s?|B\.\d|\d{1,2}(?:\.\d+)?|(?:section|push|app-clips|handoff-and-app) .+)/
  private let bracket =
    /\[([^\[\]\n]*), (?:documented|observed|inferred|verified|second-hand)(?:; [^\]\n]*)?\]/
  /// Inside a sentence.
  private let aside =
    /\(((?:section|push|app-clips|handoff-and-app) [^()]*|[A-Z]{1,2}\d{1,2}(?:, [A-Z]{1,2}\d{1,2})*)\)/
  /// Where a rule stands in an association file: entry and rule, from 0.
  private let place = /\d+\/\d+/

  /// Reads what a command printed: lines of JSON, or text.
  mutating func read(_ output: String, of command: String) {
    for line in output.split(separator: "\n") {
      if line.hasPrefix("{"), let value = try? JSONSerialization.jsonObject(with: Data(line.utf8)) {
        read(value, member: "", command)
      } else {
        read(text: String(line), command)
      }
    }
  }

  private mutating func read(_ value: Any, member: String, _ command: String) {
    switch value {
    case let object as [String: Any]:
      for (name, value) in object { read(value, member: name, command) }
    case let list as [Any]:
      for value in list { read(value, member: member, command) }
    case let text as String:
      switch member {
      case "rule" where text.wholeMatch(of: place) == nil, "rules": cite(text, command)
      case "source":
        for part in text.split(separator: ", ") where part.wholeMatch(of: number) != nil {
          cite(String(part), command)
        }
      default: read(text: text, command)
      }
    default: break
    }
  }

  private mutating func read(text: String, _ command: String) {
    for match in text.matches(of: bracket) + text.matches(of: aside) {
      for part in match.1.split(separator: ", ") { cite(String(part), command) }
    }
  }

  private mutating func cite(_ identifier: String, _ command: String) {
    count += 1
    commands[identifier] = command
  }
}
