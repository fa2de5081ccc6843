package import LinkspanCore
internal import LinkspanFiles

/// What proves to an S3-like store who writes. The secret belongs in no log and no error.
package struct BucketCredentials: Hashable, Sendable {
  package var accessKey: String
  package var secretKey: String
  /// Of temporary credentials; nil for those that last.
  package var sessionToken: String?
  /// The region that the store's signatures name; nil where the store's address tells.
  package var region: String?

  package init(accessKey: String, secretKey: String, sessionToken: String? = nil, region: String? = nil) {
    (self.accessKey, self.secretKey) = (accessKey, secretKey)
    (self.sessionToken, self.region) = (sessionToken, region)
  }

  /// Reads a file as AWS's tools keep it (`~/.aws/credentials`): lines `name = value` in the section `[default]`, in the first
  /// section without one of that name, or without sections.
  ///
  /// - Throws: That the file cannot be read, that every user of this machine can read it, or which line it lacks.
  package static func read(_ path: String) throws(LinkspanError) -> BucketCredentials {
    try SecretFile.refuseOpen(path, holding: "the key of a store")
    let values = section(of: String(decoding: try SecretFile.bytes(path), as: UTF8.self))
    func value(_ name: String) throws(LinkspanError) -> String {
      guard let value = values[name], !value.isEmpty else {
        throw LinkspanError(
          "has no line '\(name) = …'", at: path,
          help: "Expected a file as AWS's tools keep it, with aws_access_key_id and aws_secret_access_key.")
      }
      return value
    }
    return BucketCredentials(
      accessKey: try value("aws_access_key_id"), secretKey: try value("aws_secret_access_key"),
      sessionToken: values["aws_session_token"], region: values["region"])
  }

  private static func section(of text: String) -> [String: String] {
    var sections: [(name: String, values: [String: String])] = []
    for line in text.split(whereSeparator: \.isNewline).map({ ASCII.trimmed($0) }) where !line.hasPrefix("#")
    {
      if line.hasPrefix("["), line.hasSuffix("]") {
        sections.append((ASCII.trimmed(line.dropFirst().dropLast()), [:]))
      } else if let sign = line.firstIndex(of: "=") {
        if sections.isEmpty { sections.append(("", [:])) }
        let value = ASCII.trimmed(line[line.index(after: sign)...])
        sections[sections.count - 1].values[ASCII.trimmed(line[..<sign])] = value
      }
    }
    return (sections.first { $0.name == "default" } ?? sections.first)?.values ?? [:]
  }
}
