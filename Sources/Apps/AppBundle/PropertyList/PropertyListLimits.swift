/// How much of a property list is read. All of these are ours, far from what real files need.
package struct PropertyListLimits: Sendable {
  /// The largest file of ours has 8 KB; a localised `Info.plist` has a few hundred.
  package var sizeBytes = 4 << 20
  /// Containers open at once.
  package var depth = 64
  /// Values and keys, counted as often as they are reached: in the binary form a small file can name one
  /// object again and again.
  package var nodeCount = 500_000

  /// The number of findings of one kind in one file; more are not useful.
  package var findingCount = 100

  package init() {}
}
