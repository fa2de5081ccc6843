package import LinkspanCore
package import LinkspanFiles

extension Flag {
  /// What every command takes that writes a file which a person names.
  package static let force = Flag("--force", "Overwrite a file even if this command did not write it")
}

extension Arguments {
  /// The place that the flag names; nil without it.
  ///
  /// - Throws: That the answer as JSON goes to standard output as well, or that the file is not to be overwritten.
  package func output(_ flag: String, _ kind: OutputKind) throws(LinkspanError) -> OutputPlace? {
    try outputs([(flag, kind)])[flag]
  }

  /// The places that the flags name. They are looked at now, before a command works for minutes, and once more when it
  /// writes.
  ///
  /// - Throws: That two things go to one place, or that a file is not to be overwritten.
  package func outputs(_ flags: [(name: String, kind: OutputKind)]) throws(LinkspanError) -> [String:
    OutputPlace]
  {
    let given = flags.filter { value($0.name) != nil }
    let here = given.filter { value($0.name) == "-" }
    if here.count > 1 {
      throw usage("'\(here[0].name) -' and '\(here[1].name) -' both write to standard output")
    }
    if let first = here.first, has("--json") {
      throw usage("'\(first.name) -' and '--json' both write to standard output")
    }
    var names: [String: String] = [:]
    var places: [String: OutputPlace] = [:]
    for (name, kind) in given {
      guard let path = value(name) else { continue }
      if let other = names.updateValue(name, forKey: FileReader.resolved(path) ?? path) {
        throw usage("'\(other)' and '\(name)' name the same file '\(path)'")
      }
      places[name] = OutputPlace(try output(at: path, kind))
    }
    return places
  }

  /// The page that `--html` asks for, of a command whose answer has a format.
  ///
  /// - Throws: That both go to standard output, or that the file is not to be overwritten.
  package func page<Format: RawRepresentable<String>>(
    of command: String, besides format: Format
  ) throws(LinkspanError) -> OutputPlace? {
    let page = try output("--html", .page(of: command))
    if let page, page.isStandardOutput, format.rawValue != "text" {
      throw usage("'--html -' and '--format \(format.rawValue)' both write to standard output")
    }
    return page
  }

  /// The file that the flag names, for what is written by other parts of the program; nil without it.
  ///
  /// - Throws: That it is standard output, where other lines stand, or that the file is not to be overwritten.
  package func outputFile(_ flag: String, _ kind: OutputKind) throws(LinkspanError) -> OutputFile? {
    guard let path = value(flag) else { return nil }
    guard path != "-" else {
      throw usage("'\(flag)': expected a file, got '-'; '/dev/stdout' is standard output")
    }
    return try output(at: path, kind)
  }

  /// A file that is written without a flag naming it.
  ///
  /// - Throws: That another file is there that is not to be overwritten, or that the name ends like another picture's.
  package func output(at path: String, _ kind: OutputKind) throws(LinkspanError) -> OutputFile {
    if let error = kind.misnaming(of: path) { throw error }
    let file = OutputFile(path, kind, isForced: has("--force"))
    return path == "-" ? file : try file.allowed()
  }
}
