import LinkspanCore
import Synchronization
import Testing

@Suite("Streamed body")
struct HTTPBodyStreamTests {
  final class Count: Sendable {
    private let number = Atomic(0)
    var value: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
  }

  @Test func givesWhatWasWrittenInPiecesOfTheReadersSize() {
    let stream = HTTPBodyStream(capacityBytes: 100)
    stream.write([1, 2, 3, 4, 5])
    stream.write([6])
    stream.finish()
    #expect(stream.read(limitBytes: 2) == .bytes([1, 2]))
    #expect(stream.read(limitBytes: 2) == .bytes([3, 4]))
    #expect(stream.read(limitBytes: 9) == .bytes([5]))
    #expect(stream.heldBytes == 1)
    #expect(stream.read(limitBytes: 9) == .bytes([6]))
    #expect(stream.read(limitBytes: 9) == .end)
    #expect(stream.read(limitBytes: 9) == .end)
  }

  @Test func holdsTheWriterBackUntilHalfIsTaken() {
    let room = Count()
    let stream = HTTPBodyStream(capacityBytes: 4) { _ in room.add() }
    stream.onNews {}
    #expect(room.value == 1)
    #expect(stream.write([1, 2, 3]) == .more)
    #expect(stream.write([4, 5]) == .full)
    #expect(stream.read(limitBytes: 2) == .bytes([1, 2]))
    #expect(room.value == 1)
    #expect(stream.read(limitBytes: 1) == .bytes([3]))
    #expect(room.value == 2)
    #expect(stream.write([6]) == .more)
  }

  @Test func callsAReaderThatFoundNothingOnce() {
    let news = Count()
    let stream = HTTPBodyStream()
    stream.onNews { news.add() }
    stream.write([1])
    #expect(news.value == 0)
    #expect(stream.read(limitBytes: 9) == .bytes([1]))
    #expect(stream.read(limitBytes: 9) == .none)
    stream.write([2])
    stream.write([3])
    #expect(news.value == 1)
    #expect(stream.read(limitBytes: 9) == .bytes([2]))
    #expect(stream.read(limitBytes: 9) == .bytes([3]))
    #expect(stream.read(limitBytes: 9) == .none)
    stream.fail()
    #expect(news.value == 2)
    #expect(stream.read(limitBytes: 9) == .failed)
  }

  @Test func tellsTheWriterThatTheReaderHasGone() {
    let room = Count()
    let stream = HTTPBodyStream { _ in room.add() }
    stream.write([1])
    stream.close()
    stream.close()
    #expect(room.value == 1)
    #expect(stream.heldBytes == 0)
    #expect(stream.write([2]) == .closed)
  }

  @Test func tellsAWriterThatHasEndedNothing() {
    let room = Count()
    let stream = HTTPBodyStream { _ in room.add() }
    stream.write([1])
    stream.finish()
    stream.close()
    #expect(room.value == 0)
    #expect(stream.heldBytes == 0)
  }
}
