internal import CNGHTTP2
internal import Glibc

/// The library's memory for the HTTP/2 connections of one loop: what a request gives back is what the next one takes.
///
/// A request takes four pieces and a hundred of them are under way, more than the C library keeps at hand for a thread. And each
/// session takes a piece for the largest frame that it may send, of which one that sends small ones touches a page: the C library
/// would give it what a TLS handshake has just used and given back, all of it resident, so it comes from pages of its own.
/// Confined to the loop's thread. Sessions hold it, so it outlives what it gave.
final class HTTP2Memory {
  /// Before each piece: of which size it is. As long as the alignment of any type.
  private static let headerBytes = 16
  /// 64, 128, 256 and 512 bytes; a larger piece, except for one of a frame, comes from the C library.
  private static let sizeCount = 4
  private static let smallestBytes = 64
  /// Of each size; what is given back above it goes to the C library.
  private static let keptLimitCount = 512
  /// What a piece for a frame says of its size.
  private static let frameSize = sizeCount + 1
  /// With its header: a frame of 16,384 bytes with its head and the length of its padding, in whole pages.
  static let frameRoomBytes = 20_480
  private static let smallestFrameBytes = 16_384
  /// Rooms of one mapping.
  private static let mappedCount = 64
  /// Rooms that are given back above it lose their pages.
  private static let keptRoomCount = 64

  /// The first piece of each size that is free; a free piece begins with the place of the next one.
  private let first = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: sizeCount)
  private let keptCounts = UnsafeMutablePointer<Int>.allocate(capacity: sizeCount)
  private var mappings: [UnsafeMutableRawPointer] = []
  private var freeRooms: [UnsafeMutableRawPointer] = []

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
    for mapping in mappings { munmap(mapping, Self.mappedCount * Self.frameRoomBytes) }
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
    if bytes >= smallestFrameBytes, bytes <= frameRoomBytes - headerBytes { return frameSize }
    var size = 0
    while size < sizeCount, smallestBytes << size < bytes { size += 1 }
    return size
  }

  /// - Returns: Nil where the system has no memory.
  func take(_ bytes: Int) -> UnsafeMutableRawPointer? {
    let size = Self.size(for: bytes)
    if size == Self.frameSize { return takeRoom() }
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

  private func takeRoom() -> UnsafeMutableRawPointer? {
    if freeRooms.isEmpty {
      let bytes = Self.mappedCount * Self.frameRoomBytes
      guard let mapping = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
        mapping != MAP_FAILED
      else { return nil }
      // A huge page would be resident as a whole. A kernel without them refuses, and needs none of it.
      madvise(mapping, bytes, MADV_NOHUGEPAGE)
      mappings.append(mapping)
      for room in (0..<Self.mappedCount).reversed() { freeRooms.append(mapping + room * Self.frameRoomBytes) }
    }
    let room = freeRooms.removeLast()
    room.storeBytes(of: Self.frameSize, as: Int.self)
    return room + Self.headerBytes
  }

  private func giveRoom(_ room: UnsafeMutableRawPointer) {
    if freeRooms.count >= Self.keptRoomCount { madvise(room, Self.frameRoomBytes, MADV_DONTNEED) }
    freeRooms.append(room)
  }

  func give(_ piece: UnsafeMutableRawPointer?) {
    guard let piece else { return }
    let base = piece - Self.headerBytes
    let size = base.load(as: Int.self)
    if size == Self.frameSize { return giveRoom(base) }
    guard size < Self.sizeCount, keptCounts[size] < Self.keptLimitCount else { return free(base) }
    piece.storeBytes(of: first[size], as: UnsafeMutableRawPointer?.self)
    first[size] = piece
    keptCounts[size] += 1
  }

  func resize(_ piece: UnsafeMutableRawPointer?, _ bytes: Int) -> UnsafeMutableRawPointer? {
    guard let piece else { return take(bytes) }
    let base = piece - Self.headerBytes
    let size = base.load(as: Int.self)
    if size == Self.sizeCount {
      // A larger piece that shrinks keeps its place.
      guard bytes > Self.smallestBytes << (Self.sizeCount - 1) else { return piece }
      guard bytes <= Int.max - Self.headerBytes else { return nil }
      return realloc(base, Self.headerBytes + bytes).map { $0 + Self.headerBytes }
    }
    let held = size == Self.frameSize ? Self.frameRoomBytes - Self.headerBytes : Self.smallestBytes << size
    guard bytes > held else { return piece }
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
