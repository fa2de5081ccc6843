internal import LinkspanCore

extension Service {
  package static let names = allCases.map { $0.rawValue }

  /// The service a key was probably meant to be: in another case, or mistyped.
  package static func meant(by name: String) -> String? {
    let plain = ASCII.lowercased(name).filter { $0 != "-" && $0 != "_" && $0 != " " }
    return names.first { $0 == plain } ?? Spelling.nearest(to: plain, among: names)
  }
}
