package import LinkspanCore

extension HeldURL {
  /// One change on the way from a text to a URL, in the order they are done.
  package enum Step: String, Hashable, Sendable, CaseIterable {
    case blanks
    case lineBreaks = "line-breaks"
    case letterCase = "letter-case"
    case slashes
    case credentials
    case host
    case address
    case port
    case dotSegments = "dot-segments"
    case rootPath = "root-path"
    case encoding
    case systemEncoding = "nsurl-encoding"

    /// What was done.
    package var words: String {
      switch self {
      case .blanks: "blanks and control characters at the ends removed"
      case .lineBreaks: "tabs and line feeds removed"
      case .letterCase: "scheme or host in lower case"
      case .slashes: "slashes instead of backslashes, and two behind the scheme"
      case .credentials: "user information in the form of the URL standard"
      case .host: "host in Punycode"
      case .address: "IP address in its usual form"
      case .port: "default port removed"
      case .dotSegments: "'.' and '..' segments resolved"
      case .rootPath: "empty path written as '/'"
      case .encoding: "characters that URLs cannot contain percent-encoded"
      case .systemEncoding: "characters that NSURL cannot contain percent-encoded"
      }
    }

    /// Apple says that text beyond ASCII is compared percent-encoded (WWDC19, session 717), that hosts are in Punycode (E11),
    /// and that `NSURL` encodes since iOS 17; runs of Apple's tool ignore the case of the host (M2). The rest follows from the
    /// URL standard, whose parser WebKit has: nobody publishes what the device hands to its matcher.
    package var certainty: Certainty {
      switch self {
      case .host, .encoding: .documented
      case .letterCase: .observed
      case .blanks, .lineBreaks, .slashes, .credentials, .address, .port, .dotSegments, .rootPath,
        .systemEncoding:
        .inferred
      }
    }
  }
}
