package import LinkspanCore

extension LinkspanError {
  /// - Parameter name: The file's, in quotation marks.
  package static func brokenXML(_ name: String) -> LinkspanError {
    LinkspanError(
      "\(name) is not well-formed XML.", help: "A sitemap is XML; a log or a list has no '<' in front.")
  }
}
