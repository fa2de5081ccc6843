internal import CZip

/// One archive as libzip has it open.
///
/// libzip unpacks and checks: names that differ, wrong checksums and sizes, overlaps (`ZIP_CHECKCONS`). What it
/// does not know of, ``ArchiveDirectory`` has judged before.
final class ZipLibrary {
  private let archive: OpaquePointer
  private let file: String

  init(_ bytes: any RandomAccessBytes, file: String) throws(BundleError) {
    self.file = file
    var error = zip_error_t()
    zip_error_init(&error)
    defer { zip_error_fini(&error) }
    let state = Unmanaged.passRetained(ZipSource(bytes))
    guard let source = zip_source_function_create(ZipSource.callback, state.toOpaque(), &error) else {
      state.release()
      throw Self.problem(&error, file: file)
    }
    guard let archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error) else {
      zip_source_free(source)
      throw Self.problem(&error, file: file)
    }
    self.archive = archive
  }

  deinit { zip_discard(archive) }

  var entryCount: Int { Int(zip_get_num_entries(archive, 0)) }

  /// The name as its bytes stand in the archive.
  func name(_ index: Int) -> [UInt8]? {
    zip_get_name(archive, UInt64(index), ZIP_FL_ENC_RAW).map { pointer in
      Array(String(cString: pointer).utf8)
    }
  }

  func open(_ index: Int) throws(BundleError) -> OpaquePointer {
    if let entry = zip_fopen_index(archive, UInt64(index), 0) { return entry }
    throw Self.problem(zip_get_error(archive), file: file)
  }

  /// What libzip says, in the words of our kinds.
  static func problem(_ error: UnsafeMutablePointer<zip_error_t>, file: String) -> BundleError {
    let code = zip_error_code_zip(error)
    let words = String(cString: zip_error_strerror(error))
    let help = "Look whether the archive was copied whole, or make it again."
    switch code {
    case ZIP_ER_NOZIP:
      return BundleError(
        .otherFormat, in: file, "This is not a zip archive.", help: "Check that it is the right file.")
    case ZIP_ER_EOF:
      return BundleError(.truncated, in: file, "The archive ends too early.", help: help)
    case ZIP_ER_READ, ZIP_ER_SEEK, ZIP_ER_OPEN, ZIP_ER_MEMORY:
      return BundleError(
        .unreadable, in: file, "The archive could not be read: \(words).", help: "Try again.")
    default:
      return BundleError(.damaged, in: file, "The archive is damaged: \(words).", help: help)
    }
  }
}

/// Our bytes in the form that libzip reads from; libzip owns it.
private final class ZipSource {
  private let bytes: any RandomAccessBytes
  private var position: Int64 = 0
  private var error = zip_error_t()

  init(_ bytes: any RandomAccessBytes) {
    self.bytes = bytes
    zip_error_init(&error)
  }

  deinit { zip_error_fini(&error) }

  static let callback: zip_source_callback = { userData, data, length, command in
    guard let userData else { return -1 }
    if command == ZIP_SOURCE_FREE {
      Unmanaged<ZipSource>.fromOpaque(userData).release()
      return 0
    }
    return Unmanaged<ZipSource>.fromOpaque(userData).takeUnretainedValue().answer(command, data, length)
  }

  private func answer(
    _ command: zip_source_cmd_t, _ data: UnsafeMutableRawPointer?, _ length: UInt64
  ) -> Int64 {
    switch command {
    case ZIP_SOURCE_SUPPORTS: return linkspan_zip_source_supports_reading()
    case ZIP_SOURCE_OPEN:
      position = 0
      return 0
    case ZIP_SOURCE_CLOSE: return 0
    case ZIP_SOURCE_READ: return read(UnsafeMutableRawBufferPointer(start: data, count: Int(length)))
    case ZIP_SOURCE_TELL: return position
    case ZIP_SOURCE_SEEK:
      let place = zip_source_seek_compute_offset(
        UInt64(position), UInt64(bytes.count), data, length, &error)
      guard place >= 0 else { return -1 }
      position = place
      return 0
    case ZIP_SOURCE_STAT:
      guard let data, length >= UInt64(MemoryLayout<zip_stat_t>.size) else { return -1 }
      let status = data.assumingMemoryBound(to: zip_stat_t.self)
      zip_stat_init(status)
      status.pointee.size = UInt64(bytes.count)
      status.pointee.valid |= UInt64(ZIP_STAT_SIZE)
      return Int64(MemoryLayout<zip_stat_t>.size)
    case ZIP_SOURCE_ERROR: return data.map { zip_error_to_data(&error, $0, length) } ?? -1
    default:
      zip_error_set(&error, ZIP_ER_OPNOTSUPP, 0)
      return -1
    }
  }

  private func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int64 {
    let count = min(buffer.count, bytes.count - Int(position))
    guard count > 0 else { return 0 }
    do throws(BundleError) {
      try bytes.read(at: Int(position), into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    } catch {
      zip_error_set(&self.error, ZIP_ER_READ, 0)
      return -1
    }
    position += Int64(count)
    return Int64(count)
  }
}
