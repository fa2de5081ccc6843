package import LinkspanCore
internal import SiteInput

/// A server's configuration, which the module does not read.
package struct ConfigurationFile {
  package var sites: [String] { [] }
  package var apps: [String] { [] }
  package var releases: [String] { [] }

  package init(_ path: String) throws(LinkspanError) { throw .notInModule("'--config'") }
}
