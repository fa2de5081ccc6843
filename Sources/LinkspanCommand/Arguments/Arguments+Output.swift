extension Arguments {
  /// The place that the flag names; nil without it.
  ///
  /// - Throws: That the answer as JSON goes to standard output as well.
  package func output(_ flag: String) throws(CommandError) -> OutputPlace? { try outputs([flag])[flag] }

  /// The places that the flags name.
  ///
  /// - Throws: That two things go to standard output.
  package func outputs(_ flags: [String]) throws(CommandError) -> [String: OutputPlace] {
    var places: [String: OutputPlace] = [:]
    for flag in flags { places[flag] = value(flag).map(OutputPlace.init) }
    let here = flags.filter { places[$0]?.isStandardOutput == true }
    guard let first = here.first else { return places }
    if here.count > 1 { throw usage("'\(first) -' and '\(here[1]) -' both write to standard output") }
    if has("--json") { throw usage("'\(first) -' and '--json' both write to standard output") }
    return places
  }
}
