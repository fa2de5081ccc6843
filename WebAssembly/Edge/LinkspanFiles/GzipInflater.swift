package import LinkspanCore

/// What is packed needs a library that the module does not have: none is read.
package final class GzipInflater {
  package var isAtEnd: Bool { false }

  package init() {}

  package func feed(_ bytes: [UInt8], _ body: ([UInt8]) -> Void) -> Bool { false }

  package static func isPacked(_ head: [UInt8]) -> Bool { head.starts(with: [0x1F, 0x8B]) }
}

extension LinkspanError {
  package static func brokenGzip(_ name: String) -> LinkspanError {
    LinkspanError(
      "\(name) is packed with gzip, which this form of linkspan does not read.", help: "'gzip -d' unpacks it."
    )
  }
}
