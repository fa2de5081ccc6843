extension Int {
  /// The number with what it counts: "1 error", "2 errors", for nouns whose plural ends with "s".
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
