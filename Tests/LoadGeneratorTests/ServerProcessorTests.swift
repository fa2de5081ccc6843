import Glibc
import LoadGenerator
import Testing

/// The processor time of a server's processes, as the kernel counts it.
@Suite struct ServerProcessorTests {
  @Test func aProcessThatIsNotThereIsNamed() throws {
    #expect(try ServerProcessor(processes: []).nanoseconds() == 0)
    let error = #expect(throws: LoadError.self) {
      try ServerProcessor(processes: [Int(Int32.max)]).nanoseconds()
    }
    #expect(error?.reason == "process \(Int32.max): \(String(cString: strerror(ENOENT)))")
  }
}
