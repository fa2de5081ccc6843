internal import LinkspanCore

extension ConfigurationFile {
  /// Where the mistake is that an error names, of those that only the whole configuration shows: the last key for provider tokens
  /// that it names, else the first key of the server. It quotes nothing of the file.
  ///
  /// - Returns: File, line and column; nil where the error names nothing that the file has.
  package func place(of message: String) -> String? {
    let named = keyPlaces.last { !$0.name.isEmpty && message.contains($0.name) }?.range
    let keys = places.compactMap { name, range in message.firstRange(of: name).map { ($0.lowerBound, range) }
    }
    guard let range = named ?? keys.min(by: { $0.0 < $1.0 })?.1 else { return nil }
    let position = source.position(at: range.lowerBound)
    return "\(source.name):\(position.line):\(position.column)"
  }
}
