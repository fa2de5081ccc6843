internal import AssociationCheck

extension AssociationFile {
  /// Everything that is wrong or odd in the file, as `linkspan check` says it of a file without a host and an app; in
  /// reading order.
  public func check() -> [Finding] { AssociationChecker.check(source).findings.map(Finding.init) }
}
