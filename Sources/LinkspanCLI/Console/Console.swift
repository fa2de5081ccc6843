internal import Glibc
internal import LinkspanCore

/// Where a command writes: the answer to standard output, everything else to standard error.
///
/// Output is collected and written in large pieces. When nobody reads any more the program ends quietly and
/// successfully, as in `linkspan match --batch - | head -1`.
final class Console {
  let style: TextStyle
  private var pending: [UInt8] = []
  /// Ours: large enough that writing costs nothing beside making the text.
  private static let pieceBytes = 1 << 16

  init(color: String?) throws(CommandError) {
    switch color {
    case "always": style = .coloured
    case "never": style = .plain
    case nil, "auto": style = Self.showsColour(on: 1) ? .coloured : .plain
    case let other?:
      throw CommandError("'\(other)' is no colour setting.", help: "Write --color auto, always or never.")
    }
  }

  /// Only on a terminal, and not where `NO_COLOR` or a dumb one says otherwise.
  private static func showsColour(on descriptor: Int32) -> Bool {
    environment("NO_COLOR", isNotEmpty: true) == nil && environment("TERM") != "dumb"
      && isatty(descriptor) == 1
  }

  static func environment(_ name: String, isNotEmpty: Bool = false) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !(isNotEmpty && value.isEmpty) else {
      return nil
    }
    return value
  }

  func print(_ text: String, terminator: String = "\n") {
    pending += text.utf8
    pending += terminator.utf8
    if pending.count >= Self.pieceBytes { flush() }
  }

  /// One JSON value on a line of its own.
  func print(_ json: JSON) {
    json.write(to: &pending)
    pending.append(0x0A)
    if pending.count >= Self.pieceBytes { flush() }
  }

  /// Progress, warnings and errors.
  func note(_ text: String) { Self.write(Array((text + "\n").utf8), to: 2) }

  /// Says why there is no answer.
  static func fail(_ error: CommandError, command: String?) {
    let name = command.map { "linkspan \($0)" } ?? "linkspan"
    let style = showsColour(on: 2) ? TextStyle.coloured : .plain
    write(Array("\(name): \(style.paint("error", .red)): \(error)\n".utf8), to: 2)
  }

  func flush() {
    let isRead = Self.write(pending, to: 1)
    pending.removeAll(keepingCapacity: true)
    if !isRead { exit(ExitStatus.yes.rawValue) }
  }

  @discardableResult
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
