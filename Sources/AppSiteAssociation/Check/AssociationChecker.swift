package import LinkspanCore

/// Says what is wrong with an association file, whatever host it is for and whatever app it names.
package enum AssociationChecker {
  /// Every finding of every rule, in reading order.
  package static func findings(in file: AssociationSource) -> [Finding] {
    AssociationRule.all.flatMap { $0.findings(in: file) }.inReadingOrder()
  }
}
