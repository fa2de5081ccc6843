/// A constraint as a table: one look-up for each byte, no backtracking.
struct SegmentMatcher: Sendable {
  private let classes: [UInt8]
  private let classCount: Int
  /// Row by row: the next state for each class; 0 is the state from which nothing matches.
  private let table: [UInt16]
  private let accepting: [Bool]
  /// The shortest text that satisfies the constraint.
  let example: String

  /// Our choice: states of one constraint.
  private static let stateLimit = 4_000

  init(_ expression: PathExpression) throws(PathExpression.Problem) {
    let network = ByteNetwork([expression])
    let (classes, representatives) = network.classes
    var numbers: [[Int32]: Int] = [[]: 0, network.start: 1]
    var states: [[Int32]] = [[], network.start]
    var paths: [[UInt8]] = [[], []]
    var table = [UInt16](repeating: 0, count: representatives.count)
    var example: [UInt8]?
    var next = 1
    // States are numbered in the order of their shortest texts, so the first that accepts gives the example.
    while next < states.count {
      if example == nil, !network.labels(at: states[next]).isEmpty { example = paths[next] }
      for byte in representatives {
        let places = network.step(states[next], byte)
        if numbers[places] == nil {
          guard states.count < Self.stateLimit else {
            throw PathExpression.Problem(reason: "it needs more than \(Self.stateLimit) states")
          }
          numbers[places] = states.count
          states.append(places)
          paths.append(paths[next] + [Self.shown(byte, classes)])
        }
        table.append(UInt16(numbers[places] ?? 0))
      }
      next += 1
    }
    guard let example else { throw PathExpression.Problem(reason: "no text satisfies it") }
    self.classes = classes
    classCount = representatives.count
    self.table = table
    accepting = states.map { !network.labels(at: $0).isEmpty }
    self.example = String(decoding: example, as: UTF8.self)
  }

  /// A letter or a digit of the byte's class, where there is one, for people to read.
  private static func shown(_ byte: UInt8, _ classes: [UInt8]) -> UInt8 {
    readable.first { classes[Int($0)] == classes[Int(byte)] } ?? byte
  }

  @inline(__always)
  func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
    var state = 1
    for index in range {
      state = Int(table[state * classCount + Int(classes[Int(bytes[index])])])
      if state == 0 { return false }
    }
    return accepting[state]
  }

  /// For each state, the fewest bytes to one that accepts; `Int.max` where there is none.
  var distances: [Int] {
    var distances = accepting.map { $0 ? 0 : Int.max }
    var isChanged = true
    while isChanged {
      isChanged = false
      for state in distances.indices.reversed() {
        for next in table[(state * classCount)..<((state + 1) * classCount)] {
          let further = distances[Int(next)]
          guard further != .max, further + 1 < distances[state] else { continue }
          distances[state] = further + 1
          isChanged = true
        }
      }
    }
    return distances
  }

  /// A text that satisfies the constraint, byte by byte.
  ///
  /// - Parameter next: Chooses among the bytes that may follow; nil ends the text where it may end.
  func text(
    _ distances: [Int],
    _ next: (_ length: Int, _ choices: [(byte: UInt8, distance: Int)], _ mayEnd: Bool) -> UInt8?
  ) -> String {
    var state = 1
    var bytes: [UInt8] = []
    while true {
      var choices: [(byte: UInt8, distance: Int)] = []
      for byte in Self.readable {
        let distance = distances[Int(table[state * classCount + Int(classes[Int(byte)])])]
        if distance != .max { choices.append((byte, distance)) }
      }
      guard let byte = next(bytes.count, choices, accepting[state]) else {
        return String(decoding: bytes, as: UTF8.self)
      }
      bytes.append(byte)
      state = Int(table[state * classCount + Int(classes[Int(byte)])])
    }
  }

  private static let readable = Array(
    "abcdefghijklmnopqrstuvwxyz1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~!$&'()*+,;=:@%".utf8)
}
