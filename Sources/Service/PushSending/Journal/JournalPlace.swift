package import LinkspanCore
internal import LinkspanFiles

/// Where files of closed days go.
package enum JournalPlace: Hashable, Sendable {
  /// Made when it isn't there.
  case folder(String)
  /// A bucket of an S3-like store, or a part of it, and the file with the keys.
  case bucket(ServiceAddress, credentials: String)

  /// - Parameters:
  ///   - text: A path, or a URL such as `https://bucket.s3.eu-central-1.amazonaws.com/exports`.
  ///   - name: What the text was given with, for errors.
  ///   - credentials: The file with the store's keys.
  /// - Throws: What does not go together, or that the URL is no one.
  package init(_ text: String, of name: String, credentials: String?) throws(LinkspanError) {
    guard text.contains("://") else {
      guard credentials == nil else {
        throw .usage("'--bucket-credentials' needs the URL of a bucket; '\(text)' is a folder")
      }
      self = .folder(text)
      return
    }
    guard let credentials else {
      throw .usage("the URL of a bucket needs '--bucket-credentials', a file with the keys of its store")
    }
    let address = ServiceAddress(text)
    _ = try Self.server(address, of: name)
    self = .bucket(address, credentials: credentials)
  }

  private static func server(
    _ address: ServiceAddress, of name: String
  ) throws(LinkspanError) -> ServiceAddress.Server {
    let example = "https://bucket.s3.eu-central-1.amazonaws.com/exports"
    let server = try LinkspanError.server(address, of: name, example: example, takesPath: true)
    let isPlain = server.path.utf8.allSatisfy {
      ASCII.isLetter($0) || ASCII.isDigit($0) || "/-._~".utf8.contains($0)
    }
    guard isPlain else {
      throw .usage("'\(name)': a bucket's path has letters, digits and -._~/ only")
    }
    return server
  }

  /// The folder's path, or the bucket's URL.
  package var path: String {
    switch self {
    case .folder(let path): path
    case .bucket(let address, _): "\(address)"
    }
  }

  /// The file with the keys; nil for a folder.
  package var credentials: String? {
    if case .bucket(_, let credentials) = self { credentials } else { nil }
  }

  /// Refuses a folder that cannot be written to, or keys that cannot be read. A store is not asked.
  package func refuseUnfit() throws(LinkspanError) {
    switch self {
    case .folder(let path): try SiteWriter.refuseUnfit(path)
    case .bucket(_, let credentials): _ = try BucketCredentials.read(credentials)
    }
  }

  func files() throws(LinkspanError) -> any JournalFiles {
    switch self {
    case .folder(let path): return try JournalFolder(path)
    case .bucket(let address, let credentials):
      _ = try BucketCredentials.read(credentials)
      return JournalBucket(
        BucketClient(try Self.server(address, of: path)) { () throws(LinkspanError) in
          try BucketCredentials.read(credentials)
        })
    }
  }
}
