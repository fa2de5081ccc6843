import FuzzSupport
import LinkspanCore
import PNGPictures

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzPNG_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: no input stops the program; every refusal names the file and says what to do; what was written reads the same
/// again.
private func check(_ input: [UInt8]) {
  var limits = PNGPicture.Limits()
  limits.pixels = 1_000_000
  do throws(PNGError) {
    let picture = try PNGPicture(input, file: "a.png", limits: limits)
    precondition(picture.pixels.count == picture.width * picture.height * 4, "not four bytes a pixel")
    let again = try PNGPicture(try picture.encoded(), file: "a.png", limits: limits)
    precondition(again.pixels == picture.pixels, "other pixels")
    precondition(again.isGrey == picture.isGrey && again.hasAlpha == picture.hasAlpha, "another kind")
  } catch {
    precondition(error.message.hasPrefix("'a.png' ") && !error.help.isEmpty, "a silent refusal")
  }
}
