internal import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// The system's generator for secrets.
package enum SystemRandom {
  /// - Throws: That the system has none, as in a chroot without devices.
  package static func bytes(_ count: Int) throws(LinkspanError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let descriptor = open("/dev/urandom", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, read(descriptor, &bytes, count) == count else {
      let reason = SystemError.text(errno)
      if descriptor >= 0 { close(descriptor) }
      throw LinkspanError("cannot be read", at: "/dev/urandom", why: reason)
    }
    close(descriptor)
    return bytes
  }
}
