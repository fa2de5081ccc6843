/// The program itself.
package enum Program {
  package static let version = "0.1.0"
  /// The day the manual pages last changed.
  static let manualDate = "2026-11-22"
}
