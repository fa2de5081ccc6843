package import LinkspanCore

/// A fleet, which the module does not read: nothing is said of it.
package struct FleetFile {
  package var findings: [Finding] { [] }
  package var choices: [(range: Range<Int>, choice: DocumentChoice)] { [] }

  package init(_ source: SourceText) {}
}
