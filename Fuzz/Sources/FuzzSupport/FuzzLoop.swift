@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _: UnsafeMutablePointer<CInt>, _: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// What libFuzzer calls for each input. Safe: it is set once, before the loop begins, and the loop has one thread.
private nonisolated(unsafe) var current: ([UInt8]) -> Void = { _ in }

/// Passes libFuzzer's inputs to `check`, which stops the program when a law does not hold.
///
/// A target calls this from `NAME_main`, the entry point that the package manager expects in an executable.
public func fuzz(
  _ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ check: @escaping ([UInt8]) -> Void
) -> CInt {
  current = check
  var (argc, argv) = (argc, argv)
  return runDriver(&argc, &argv) { data, size in
    current(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
  }
}
