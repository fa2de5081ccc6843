package import HTTPTransport
package import LinkspanCore
package import SiteInput

extension Arguments {
  package func configurationPath(isWanted: Bool) -> String? { value("--config") }

  package func trust() throws(LinkspanError) -> TLSTrust {
    guard value("--ca") == nil else { throw .notInModule("'--ca'") }
    return .system
  }
}
