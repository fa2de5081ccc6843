package import LinkspanCore
internal import LinkspanFiles
internal import PushProvider

extension Flag {
  /// For all commands that take a push type.
  package static let pushType = Flag(
    "--push-type", "TYPE", choices: PushType.allCases.map { $0.rawValue },
    "The value of apns-push-type (what the payload looks like)")
}

extension Arguments {
  /// What the flags say is to be sent.
  ///
  /// - Parameter choices: The flags of which one says it, as the end of a sentence.
  /// - Throws: That none or several say it, or that the file cannot be read.
  package func payload(
    _ choices: String = "'--payload', '--alert' and '--silent' is required"
  ) throws(LinkspanError) -> SourceText {
    switch (value("--payload"), value("--alert"), has("--silent")) {
    case (let file?, nil, false): return try FileReader.read(file)
    case (nil, let text?, false):
      return SourceText(name: "--alert", bytes: PushPayload.alert(text).json.bytes)
    case (nil, nil, true): return SourceText(name: "--silent", bytes: PushPayload.silent.json.bytes)
    default: throw usage("exactly one of \(choices)")
    }
  }
}
