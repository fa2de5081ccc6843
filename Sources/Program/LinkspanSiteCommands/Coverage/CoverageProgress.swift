/// How far the reading of a large input has come, said once a second.
struct CoverageProgress {
  private var began = ContinuousClock.now
  private var last = ContinuousClock.now

  /// The next input begins.
  mutating func begin() { began = ContinuousClock.now }

  /// nil where less than a second has passed.
  mutating func text(_ path: String, _ bytes: Int, of size: Int?) -> String? {
    let now = ContinuousClock.now
    guard now - last >= .seconds(1) else { return nil }
    last = now
    let megabytes = { (bytes: Int) in "\(bytes / 1_000_000) MB" }
    var text = "linkspan coverage: \(path): \(megabytes(bytes))"
    if let size, size > bytes {
      let elapsed_s = max(1, (now - began).components.seconds)
      let rest_s = Int64(size - bytes) * elapsed_s / Int64(max(1, bytes))
      text += " of \(megabytes(size)), about \(rest_s) s left"
    }
    return text
  }
}
