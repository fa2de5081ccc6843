internal import CLinkspanPlatform
internal import Glibc
package import LinkspanCore
package import LinkspanCrypto
internal import LinkspanSystem

/// Gets a passphrase from where a person says it is: a file, the environment, or the terminal. It is never an
/// argument, which every user of the machine could see.
package enum PassphraseReader {
  /// Takes the passphrase out of an environment variable, and the variable out of the environment.
  ///
  /// - Throws: That there is no such variable, or that its value is no passphrase.
  package static func read(variable name: String) throws(LinkspanError) -> Passphrase {
    guard let value = getenv(name) else {
      throw LinkspanError(
        "--passphrase-env names '\(name)', which is not set.",
        help: "Set it for this command, or use --passphrase-file.")
    }
    let bytes = UnsafeRawBufferPointer(start: value, count: strlen(value))
    // What the system keeps of a process's environment is this very memory.
    defer {
      Passphrase.wipe(UnsafeMutableRawBufferPointer(start: value, count: strlen(value)))
      unsetenv(name)
    }
    return try passphrase(bytes, from: "the environment variable '\(name)'")
  }

  /// A warning, if a passphrase's file holds no secret any more.
  package static func warning(aboutFile path: String) -> String? {
    SecretFile.warning(path, secret: "passphrase")
  }

  /// - Parameter mayBeOpen: Whether a file that everyone may read will do, which a server's does not.
  package static func read(file path: String, mayBeOpen: Bool = false) throws(LinkspanError) -> Passphrase {
    let descriptor = try SecretFile.reading(path) { () throws(LinkspanError) in try InputFile.open(path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
    if !mayBeOpen, SecretFile.isOpen(status) {
      throw LinkspanError(
        "every user of this machine can read '\(path)', which holds a passphrase.",
        help: "Run chmod o-r on it, and change the passphrase: others may have read it.")
    }
    return try line(of: descriptor, from: "'\(path)'") { unreadable(path) }
  }

  /// Asks at the terminal, which shows nothing of what is typed.
  ///
  /// - Parameter what: What the passphrase is for.
  /// - Throws: Without a terminal, and when a person breaks off.
  package static func ask(for what: String) throws(LinkspanError) -> Passphrase {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    var before = termios()
    guard (0..<FD_SETSIZE).contains(terminal), tcgetattr(terminal, &before) == 0 else {
      if terminal >= 0 { close(terminal) }
      throw LinkspanError(
        "is encrypted, and there is no terminal to ask for its passphrase", at: what,
        help: "Give it with --passphrase-file or --passphrase-env.")
    }
    defer { close(terminal) }
    // A signal ends the reading rather than the program, so that the terminal shows again what is typed.
    var handler = sigaction()
    handler.__sigaction_handler.sa_handler = { _ in }
    let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
    let handlers = signals.map { signal in
      var old = sigaction()
      sigaction(signal, &handler, &old)
      return old
    }
    // Signals come in only while waiting below, so that none is lost between the prompt and the first byte.
    var (blocked, mask) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    for signal in signals { sigaddset(&blocked, signal) }
    pthread_sigmask(SIG_BLOCK, &blocked, &mask)
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(terminal, TCSAFLUSH, &silent)
    defer {
      tcsetattr(terminal, TCSAFLUSH, &before)
      for (signal, var old) in zip(signals, handlers) { sigaction(signal, &old, nil) }
      pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
    show("Passphrase of \(what): ", on: terminal)
    defer { show("\n", on: terminal) }
    func waits() -> Bool {
      var ready = fd_set()
      withUnsafeMutableBytes(of: &ready) { $0[Int(terminal) / 8] = 1 << UInt8(terminal % 8) }
      return pselect(terminal + 1, &ready, nil, nil, nil, &mask) > 0
    }
    return try line(of: terminal, from: "what was typed", waits: waits) {
      LinkspanError("the passphrase of '\(what)' was not entered completely.", help: "Run the command again.")
    }
  }

  private static func show(_ text: String, on terminal: Int32) {
    let bytes = Array(text.utf8)
    // A terminal that takes no text takes no passphrase either, and that is said.
    _ = write(terminal, bytes, bytes.count)
  }

  /// The first line, read byte by byte into memory that is wiped.
  ///
  /// - Parameter waits: Waits for a byte, and says whether there is one to be read.
  private static func line(
    of descriptor: Int32, from source: String, waits: () -> Bool = { true }, onFailure: () -> LinkspanError
  ) throws(LinkspanError) -> Passphrase {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Passphrase.limitBytes + 2, alignment: 1)
    defer {
      Passphrase.wipe(memory)
      memory.deallocate()
    }
    var count = 0
    while count < memory.count {
      guard waits() else { throw onFailure() }
      let read = Glibc.read(descriptor, memory.baseAddress! + count, 1)
      guard read >= 0 else { throw onFailure() }
      if read == 0 || memory[count] == 0x0A { break }
      count += 1
    }
    if count > 0, memory[count - 1] == 0x0D { count -= 1 }
    // Some editors write a mark before a text, which is no part of it. Nothing is copied.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = memory[..<count].starts(with: mark) ? mark.count : 0
    return try passphrase(UnsafeRawBufferPointer(rebasing: memory[start..<count]), from: source)
  }

  private static func passphrase(
    _ bytes: UnsafeRawBufferPointer, from source: String
  ) throws(LinkspanError) -> Passphrase {
    guard bytes.count <= Passphrase.limitBytes else {
      throw LinkspanError(
        "\(source) has more than \(Passphrase.limitBytes) bytes, too many for a passphrase.")
    }
    guard !bytes.contains(0) else {
      throw LinkspanError("\(source) contains a zero byte, which a passphrase cannot.")
    }
    return Passphrase(copying: bytes)
  }

  private static func unreadable(_ path: String) -> LinkspanError {
    LinkspanError("cannot be read", at: path, errno: errno)
  }
}
