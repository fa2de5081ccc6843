/// The smallest signed program: a Mach-O header for arm64 with a code directory and entitlements, by Apple's headers.
enum SignedProgram {
  /// - Parameter team: nil as in a program that is signed for the Simulator.
  static func bytes(_ identifier: String, team: String?, entitlements: String) -> [UInt8] {
    func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    func big(_ value: Int) -> [UInt8] { little(value).reversed() }
    let texts = Array(identifier.utf8) + [0] + (team.map { Array($0.utf8) + [0] } ?? [])
    let teamPlace = team == nil ? 0 : 52 + identifier.utf8.count + 1
    let length = 52 + texts.count
    let directory =
      big(0xFADE_0C02) + big(length) + big(0x20200) + big(0) + big(length) + big(52) + big(0) + big(0)
      + big(0)
      + [32, 2, 0, 12] + big(0) + big(0) + big(teamPlace) + texts
    let list = big(0xFADE_7171) + big(entitlements.utf8.count + 8) + Array(entitlements.utf8)
    let start = 12 + 2 * 8
    let signature =
      big(0xFADE_0CC0) + big(start + directory.count + list.count) + big(2) + big(0) + big(start) + big(5)
      + big(start + directory.count) + directory + list
    let header = little(0xFEED_FACF) + little(0x0100_000C) + little(0) + little(2) + little(1) + little(16)
    return header + little(0) + little(0) + little(0x1D) + little(16) + little(48) + little(signature.count)
      + signature
  }
}
