internal import CPNG

/// The chunks of a file that say what its numbers mean.
struct ColourChunks: Sendable {
  private let srgbIntent: Int32?
  private let gamma: Int32?
  private let chromaticities: [Int32]?
  private let size: (x: UInt32, y: UInt32, unit: Int32)?
  private let profile: (name: [CChar], bytes: [UInt8])?
  /// Whether the profile is one of grey numbers.
  let isOfGrey: Bool

  /// Along the shorter side of a pixel, where the two differ; nil where the file names no unit.
  var pixelsPerMetre: Int? {
    size.flatMap { $0.unit == PNG_RESOLUTION_METER ? Int(min($0.x, $0.y)) : nil }
  }

  init(_ picture: linkspan_png) {
    srgbIntent = picture.has_srgb != 0 ? picture.srgb_intent : nil
    gamma = picture.has_gamma != 0 ? picture.gamma : nil
    chromaticities =
      picture.has_chromaticities != 0
      ? withUnsafeBytes(of: picture.chromaticities) { Array($0.bindMemory(to: Int32.self)) } : nil
    size = picture.has_size != 0 ? (picture.pixels_x, picture.pixels_y, picture.size_unit) : nil
    if let bytes = picture.profile, let name = picture.profile_name {
      let text = String(cString: name)
      profile = (
        Array(text.utf8CString), Array(UnsafeBufferPointer(start: bytes, count: Int(picture.profile_length)))
      )
    } else {
      profile = nil
    }
    isOfGrey = profile != nil && picture.color_type & PNG_COLOR_MASK_COLOR == 0
  }

  /// Puts the chunks into a picture that is to be written, which owns copies of them.
  ///
  /// - Parameter isGrey: Whether its numbers are grey: a profile of grey numbers fits no others.
  func fill(_ picture: inout linkspan_png, isGrey: Bool) {
    if let srgbIntent { (picture.has_srgb, picture.srgb_intent) = (1, srgbIntent) }
    if let gamma { (picture.has_gamma, picture.gamma) = (1, gamma) }
    if let chromaticities {
      picture.has_chromaticities = 1
      withUnsafeMutableBytes(of: &picture.chromaticities) { target in
        chromaticities.withUnsafeBytes { target.copyMemory(from: $0) }
      }
    }
    if let size {
      picture.has_size = 1
      (picture.pixels_x, picture.pixels_y, picture.size_unit) = size
    }
    guard let profile, isGrey == isOfGrey else { return }
    picture.profile_name = strdup(profile.name)
    picture.profile = malloc(profile.bytes.count)?.assumingMemoryBound(to: UInt8.self)
    picture.profile?.initialize(from: profile.bytes, count: profile.bytes.count)
    picture.profile_length = png_uint_32(profile.bytes.count)
  }
}
