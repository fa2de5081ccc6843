import FuzzSupport
import Handoff
import LinkspanCore

/// The entry that the package manager expects of an executable.
@_cdecl("FuzzHandoff_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

private let key = (0..<UInt8(HandoffFrame.keyBytes)).map { $0 }

/// The laws: no input stops the program; what was read whole is written the same; an announcement is sealed again to the
/// same frame, but for the status byte that its options decide.
private func check(_ input: [UInt8]) {
  do throws(AdvertisementError) {
    let data = try ManufacturerData(input)
    if data.problem == nil {
      precondition(data.bytes == input, "what was read is written otherwise")
    } else {
      precondition(input.starts(with: data.bytes), "what was read is not the beginning")
    }
    guard let frame = data.handoff, let announcement = frame.announcement(key: key) else { return }
    let again = HandoffFrame(announcement, key: key, counter: frame.counter)
    precondition(again.ciphertext == frame.ciphertext, "sealed otherwise")
    _ = announcement.time.time(seenAt: WallTime(milliseconds: 1_700_000_000_000))
  } catch {
    precondition(!error.message.isEmpty, "a silent error")
  }
}
