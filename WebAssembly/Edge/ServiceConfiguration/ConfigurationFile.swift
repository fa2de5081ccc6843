package import LinkspanCore
internal import SiteInput

/// A server's configuration, which the module does not read.
package struct ConfigurationFile {
  package var sites: [String] { [] }
  package var apps: [String] { [] }
  package var releases: [String] { [] }
  package var findings: [Finding] { [] }
  package var choices: [(range: Range<Int>, choice: DocumentChoice)] { [] }

  package init(_ path: String) throws(LinkspanError) { throw .notInModule("'--config'") }

  package init(reading source: SourceText) {}
}

/// A key of it: the module knows none.
package struct ConfigurationKey {
  package var name: String { "" }
  package var help: String { "" }

  package static let top: [ConfigurationKey] = []
  package static let server: [ConfigurationKey] = []
}
