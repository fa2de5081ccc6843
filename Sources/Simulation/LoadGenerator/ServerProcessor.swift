internal import Glibc

/// Processor time of the server, summed over its processes and their threads.
///
/// From /proc/PID/task/TID/schedstat, whose first number is nanoseconds on a processor, user and kernel together;
/// utime and stime of /proc/PID/stat are the same sum in hundredths of a second. A process may end between two
/// readings only if the server does, and then there is nothing to measure.
package struct ServerProcessor {
  package let processes: [Int]

  package init(processes: [Int]) { self.processes = processes }

  package func nanoseconds() throws(LoadError) -> Int64 {
    var sum: Int64 = 0
    for process in processes {
      guard let tasks = opendir("/proc/\(process)/task") else { throw .system("process \(process)") }
      defer { closedir(tasks) }
      while let entry = readdir(tasks) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard Int(name) != nil else { continue }
        sum += try Self.time("/proc/\(process)/task/\(name)/schedstat")
      }
    }
    return sum
  }

  private static func time(_ path: String) throws(LoadError) -> Int64 {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .system(path) }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = read(file, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    guard let first = text.split(separator: " ").first, let time = Int64(first) else {
      throw LoadError("\(path) tells no time: this kernel has no scheduler statistics")
    }
    return time
  }
}
