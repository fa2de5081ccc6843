internal import CNGHTTP2
internal import Glibc

/// The library's memory for the HTTP/2 connections of one client: what a request gives back is what the next one takes.
///
/// A request takes four pieces and a hundred of them are under way, more than the C library keeps at hand for a thread.
/// Confined to the loop's thread. Sessions hold it, so it outlives what it gave.
final class HTTP2Memory {
  /// Before each piece: of which size it is. As long as the alignment of any type.
  private static let headerBytes = 16
  /// 64, 128, 256 and 512 bytes; a larger piece comes from the C library.
  private static let sizeCount = 4
  private static let smallestBytes = 64
  /// Of each size; what is given back above it goes to the C library.
  private static let keptLimitCount = 512

  /// The first piece of each size that is free; a free piece begins with the place of the next one.
  private let first = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: sizeCount)
  private let keptCounts = UnsafeMutablePointer<Int>.allocate(capacity: sizeCount)

  init() {
    first.initialize(repeating: nil, count: Self.sizeCount)
    keptCounts.initialize(repeating: 0, count: Self.sizeCount)
  }

  deinit {
    for size in 0..<Self.sizeCount {
      while let piece = first[size] {
        first[size] = piece.load(as: UnsafeMutableRawPointer?.self)
        free(piece - Self.headerBytes)
      }
    }
    first.deallocate()
    keptCounts.deallocate()
  }

  /// What the library calls; good for as long as this object is.
  var functions: nghttp2_mem {
    nghttp2_mem(
      mem_user_data: Unmanaged.passUnretained(self).toOpaque(),
      malloc: { bytes, user in withMemory(user) { $0.take(bytes) } },
      free: { piece, user in withMemory(user) { $0.give(piece) } },
      calloc: { count, bytes, user in
        withMemory(user) { memory in
          let (total, overflow) = count.multipliedReportingOverflow(by: bytes)
          let piece = overflow ? nil : memory.take(total)
          if let piece { memset(piece, 0, total) }
          return piece
        }
      },
      realloc: { piece, bytes, user in withMemory(user) { $0.resize(piece, bytes) } })
  }

  private static func size(for bytes: Int) -> Int {
    var size = 0
    while size < sizeCount, smallestBytes << size < bytes { size += 1 }
    return size
  }

  private func take(_ bytes: Int) -> UnsafeMutableRawPointer? {
    let size = Self.size(for: bytes)
    if size < Self.sizeCount, let piece = first[size] {
      first[size] = piece.load(as: UnsafeMutableRawPointer?.self)
      keptCounts[size] -= 1
      return piece
    }
    let whole = size < Self.sizeCount ? Self.smallestBytes << size : bytes
    guard whole <= Int.max - Self.headerBytes, let base = malloc(Self.headerBytes + whole) else { return nil }
    base.storeBytes(of: size, as: Int.self)
    return base + Self.headerBytes
  }

  private func give(_ piece: UnsafeMutableRawPointer?) {
    guard let piece else { return }
    let base = piece - Self.headerBytes
    let size = base.load(as: Int.self)
    guard size < Self.sizeCount, keptCounts[size] < Self.keptLimitCount else { return free(base) }
    piece.storeBytes(of: first[size], as: UnsafeMutableRawPointer?.self)
    first[size] = piece
    keptCounts[size] += 1
  }

  private func resize(_ piece: UnsafeMutableRawPointer?, _ bytes: Int) -> UnsafeMutableRawPointer? {
    guard let piece else { return take(bytes) }
    let base = piece - Self.headerBytes
    let size = base.load(as: Int.self)
    if size == Self.sizeCount, Self.size(for: bytes) == size {
      guard bytes <= Int.max - Self.headerBytes else { return nil }
      return realloc(base, Self.headerBytes + bytes).map { $0 + Self.headerBytes }
    }
    // A larger piece that shrinks keeps its place.
    let held = size < Self.sizeCount ? Self.smallestBytes << size : Self.smallestBytes << (Self.sizeCount - 1)
    guard size < Self.sizeCount, bytes > held else { return piece }
    guard let other = take(bytes) else { return nil }
    memcpy(other, piece, held)
    give(piece)
    return other
  }
}

/// Not a method: a function that C calls may capture nothing, not even a type.
private func withMemory<Result>(_ user: UnsafeMutableRawPointer?, _ body: (HTTP2Memory) -> Result) -> Result {
  guard let user else { preconditionFailure("a session without its memory") }
  return Unmanaged<HTTP2Memory>.fromOpaque(user)._withUnsafeGuaranteedRef(body)
}
