internal import Glibc
internal import LinkspanSystem

/// A connected, non-blocking TCP socket; it closes once.
package final class Socket {
  package let descriptor: CInt
  private var isOpen = true
  /// Whether the last read brought less than was asked for.
  private(set) var isDrained = false
  /// Whether a write brought less than was given, since the connection began.
  private(set) var hasBeenFull = false
  /// For every send: no signal when the peer has gone.
  private(set) var sendFlags = CInt(MSG_NOSIGNAL)
  /// The peer is still to be told that nothing more will come.
  private var owesEnd = false

  /// Takes the descriptor over.
  package init(_ descriptor: CInt) { self.descriptor = descriptor }

  deinit { close(reset: false) }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportRead {
    endTurn()
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      isDrained = count > 0 && count < buffer.count
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      default: return .failed(SystemError.text(errno))
      }
    }
  }

  func write(_ bytes: UnsafeBufferPointer<UInt8>) -> TransportWrite {
    while true {
      let count = send(descriptor, bytes.baseAddress, bytes.count, sendFlags)
      if count >= 0 {
        if count < bytes.count { hasBeenFull = true }
        return .bytes(count)
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        hasBeenFull = true
        return .wouldBlock
      default: return .failed(SystemError.text(errno))
      }
    }
  }

  /// There is more to read than the last read brought.
  func noteReadable() { isDrained = false }

  /// For whoever writes to the descriptor himself.
  func noteFull() { hasBeenFull = true }

  /// Lets the last bytes travel with the end that follows them, in one packet where they fit.
  func expectEnd() { sendFlags |= CInt(MSG_MORE) }

  /// Ends the sending side with the next read, at the end of the turn, or with the close, which says it by itself:
  /// most connections close at once, and are spared a system call.
  func finishWriting() { owesEnd = true }

  func endTurn() {
    guard owesEnd else { return }
    owesEnd = false
    // A failure means that the peer has gone, which the next read tells.
    _ = shutdown(descriptor, CInt(SHUT_WR))
  }

  /// Without waiting for small writes to be joined: answers leave in one piece anyhow.
  package func setNoDelay() {
    var on: CInt = 1
    // A socket that refuses it is slower and still right.
    _ = setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
  }

  package func close(reset: Bool) {
    guard isOpen else { return }
    isOpen = false
    if reset {
      var linger = linger(l_onoff: 1, l_linger: 0)
      // Refused, the close is an orderly one: slower to free, no harm.
      _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }
    _ = Glibc.close(descriptor)
  }
}
