internal import CLinkspanPlatform
internal import Glibc
internal import LinkspanCore
internal import LinkspanFiles

/// What the system tells of this process, under the names every program's metrics have.
struct ProcessNumbers {
  /// nil where nobody knows.
  var openDescriptors: Int?
  var descriptorLimit: Int
  var processorSeconds: String
  /// nil where nobody knows.
  var residentBytes: Int?

  static func read() -> ProcessNumbers {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let times = [usage.ru_utime, usage.ru_stime]
    let nanoseconds = times.reduce(0) { $0 + $1.tv_sec * 1_000_000_000 + $1.tv_usec * 1_000 }
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let most = Int(clamping: limit.rlim_cur)
    let pages = (try? FileReader.bytes("/proc/self/statm")).flatMap { bytes in
      bytes.split(separator: 0x20).dropFirst().first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }
    return ProcessNumbers(
      openDescriptors: openDescriptors(atMost: most), descriptorLimit: most,
      processorSeconds: MetricsReport.seconds(nanoseconds: nanoseconds),
      residentBytes: pages.map { $0 * sysconf(Int32(_SC_PAGESIZE)) })
  }

  /// - Parameter most: The limit, which is reached where the folder that lists them cannot be opened for want of one.
  private static func openDescriptors(atMost most: Int) -> Int? {
    do throws(LinkspanError) {
      // The folder's own descriptor is not counted.
      return try FileReader.names(in: "/proc/self/fd").count - 1
    } catch {
      return error.code == EMFILE ? most : nil
    }
  }
}
