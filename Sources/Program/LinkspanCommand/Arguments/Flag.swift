internal import LinkspanCore

/// One flag: its name, what it takes and what it does. Help, errors and completions are made from this record.
package struct Flag: Sendable {
  /// With its dashes: `--app`.
  package let name: String
  /// With its dash, such as `-u`, for commands whose users know it from elsewhere.
  package let short: String?
  /// The word for its value in the help; nil for a flag that takes none.
  package let value: String?
  /// Whether it may be given more than once.
  package let repeats: Bool
  package let help: String
  /// The words it takes, any other one is refused; empty where a person may write something else.
  package let choices: [String]
  /// Words that completions offer beside what a person writes; not needed with ``choices``.
  private(set) var offers: [String] = []
  /// Whether it takes the address of a service, which may hold a credential (``ServiceAddress``).
  private(set) var isAddress = false

  /// A flag with a value.
  package init(
    _ name: String, short: String? = nil, _ value: String, repeats: Bool = false, choices: [String] = [],
    _ help: String
  ) {
    self.choices = choices
    self.name = name
    self.short = short
    self.value = value
    self.repeats = repeats
    self.help = help
  }

  /// A flag with the address of a service: a server, a store, a CDN. It is read with ``Arguments/address(_:)``.
  package static func address(_ name: String, _ value: String, _ help: String) -> Flag {
    var flag = Flag(name, value, help)
    flag.isAddress = true
    return flag
  }

  /// The same flag, whose completions offer some words and which takes others as well, such as several with commas.
  package func offering(_ words: [String]) -> Flag {
    var flag = self
    flag.offers = words
    return flag
  }

  /// Why it does not take the word; nil when it does.
  func refusal(of word: String) -> String? {
    Self.refusal(of: word, among: choices).map { "'\(name)': \($0)" }
  }

  /// The same for any list of words; an empty one takes everything.
  package static func refusal(of word: String, among choices: [String]) -> String? {
    guard !choices.isEmpty, !choices.contains(word) else { return nil }
    let near = Arguments.nearest(to: word, among: choices).map { ". Did you mean '\($0)'?" } ?? ""
    return "expected \(choices.alternatives), got '\(word)'\(near)"
  }

  /// A flag that is there or not.
  package init(_ name: String, short: String? = nil, _ help: String) {
    self.name = name
    self.short = short
    value = nil
    choices = []
    repeats = false
    self.help = help
  }

  static let json = Flag("--json", "Print JSON: one document, or one object a line")
  static let color = Flag(
    "--color", "WHEN", choices: ["auto", "always", "never"],
    "Colour the text: auto, always or never (auto; NO_COLOR is obeyed)")
  static let usage = Flag("--help", short: "-h", "Print this help")

  /// What every command takes.
  package static let common = [json, color, usage]
}
