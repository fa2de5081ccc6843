import AppBundle
import LinkspanCore

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
  _: UnsafeMutablePointer<CInt>, _: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The entry the package manager expects of an executable; libFuzzer's own loop takes over.
@_cdecl("FuzzDER_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  var (argc, argv) = (argc, argv)
  return runDriver(&argc, &argv) { data, size in
    check(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
  }
}

/// The laws: no input stops the program; what is taken is a dictionary without a key twice; every refusal says where.
private func check(_ input: [UInt8]) {
  do throws(BundleError) {
    let node = try EntitlementsDER.node(input, file: "a")
    let keys = node.dictionary?.map(\.key) ?? []
    precondition(node.dictionary != nil && Set(keys).count == keys.count, "no dictionary, or a key twice")
    _ = node.json.bytes
  } catch {
    precondition(error.message.contains("byte") && !error.help.isEmpty, "a silent refusal")
  }
}
