extension IDNA.Label {
  /// RFC 5892, appendix A.1 and A.2: a joiner stands behind a virama, or between letters that join.
  func checkJoiners() throws(IDNA.Fault) {
    let virama: UInt8 = 9
    for (place, scalar) in scalars.enumerated() where scalar == 0x200C || scalar == 0x200D {
      if place > 0, IDNATables.combiningClass(of: scalars[place - 1]) == virama { continue }
      if scalar == 0x200C, joins(at: place) { continue }
      throw IDNA.Fault(reason: "has the joiner \(IDNA.shown(scalar)) where nothing joins")
    }
  }

  private func joins(at place: Int) -> Bool {
    let before = scalars[..<place].lazy.map(IDNATables.joiningType).last { $0 != .transparent }
    let after = scalars[(place + 1)...].lazy.map(IDNATables.joiningType).first { $0 != .transparent }
    return (before == .left || before == .dual) && (after == .right || after == .dual)
  }

  /// RFC 5893, section 2: letters of both directions do not mix in a label.
  func checkDirection() throws(IDNA.Fault) {
    let classes = scalars.map(IDNATables.bidiClass)
    let last = classes.last { $0 != .nonspacingMark }
    let isAllowed: Bool
    switch classes[0] {
    case .rightToLeft, .arabicLetter:
      let ends: [IDNATables.BidiClass] = [.rightToLeft, .arabicLetter, .europeanNumber, .arabicNumber]
      isAllowed =
        !classes.contains(.leftToRight) && ends.contains { $0 == last }
        && !(classes.contains(.europeanNumber) && classes.contains(.arabicNumber))
    case .leftToRight:
      isAllowed =
        !classes.contains { $0 == .rightToLeft || $0 == .arabicLetter || $0 == .arabicNumber }
        && (last == .leftToRight || last == .europeanNumber)
    default: isAllowed = false
    }
    guard isAllowed else {
      throw IDNA.Fault(
        reason: "has a label that mixes letters of both directions, or begins or ends with neither")
    }
  }
}
