internal import CLinkspanPlatform

/// The cores this process may use, as `taskset` and control groups restrict them.
enum UsableCores {
  /// At least 1.
  static var count: Int { Int(linkspan_usable_cores()) }
}
