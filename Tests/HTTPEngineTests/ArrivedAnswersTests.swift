import Glibc
import HTTPTransport
import LinkspanCore
import LinkspanSystem
import Testing

@testable import HTTPEngine

/// What other threads put in reaches the loop: it is woken for the first, and takes all.
@Suite struct ArrivedAnswersTests {
  @Test func theFirstAfterEachTakeWakesTheLoop() throws {
    let wakeup = try Wakeup()
    let arrived = ArrivedAnswers(wakeup)
    for isAnswer in [true, false, true] {
      arrived.putNews(ofStream: 7)
      arrived.put(1, .text(200, ""))
      #expect(isReadable(wakeup))
      wakeup.drain()
      let (answers, streams) = arrived.take()
      #expect(answers.map(\.number) == [1] && streams == [7])
      #expect(!isReadable(wakeup))
      if isAnswer { arrived.put(2, .text(200, "")) } else { arrived.putNews(ofStream: 8) }
      #expect(isReadable(wakeup))
      wakeup.drain()
      let last = arrived.take()
      #expect(last.answers.map(\.number) == (isAnswer ? [2] : []) && last.streams == (isAnswer ? [] : [8]))
    }
  }

  /// The answers were taken before the streams, in two steps: what came in between woke nobody, and nothing did ever again.
  @Test func nothingStaysBehind() throws {
    let wakeup = try Wakeup()
    let arrived = ArrivedAnswers(wakeup)
    let each = 20_000
    let threads = try [true, false].map { isAnswer in
      try JoinableThread {
        for number in 0..<each {
          if isAnswer { arrived.put(number, .text(200, "")) } else { arrived.putNews(ofStream: number) }
        }
      }
    }
    var (answers, streams) = (0, 0)
    while answers < each || streams < each {
      wakeup.wait(atMost: 10_000)
      guard isReadable(wakeup) else { break }
      wakeup.drain()
      let taken = arrived.take()
      (answers, streams) = (answers + taken.answers.count, streams + taken.streams.count)
    }
    #expect(answers == each && streams == each)
    for thread in threads { thread.join() }
  }

  private func isReadable(_ wakeup: Wakeup) -> Bool {
    var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }
}
