/// Unicode's tables for host names, read when the first host beyond ASCII is asked about.
///
/// `Scripts/idna-tables` makes them. They say something of the scalars that a label can hold after it was mapped; of others
/// they say what keeps them short.
enum IDNATables {
  /// What IdnaMappingTable.txt says of a scalar. Deviations are valid, as nontransitional processing has it.
  enum Status {
    case valid
    case disallowed
    case ignored
    case mapped(ArraySlice<UInt32>)
  }

  /// Bidi_Class, in the order of the table.
  enum BidiClass: UInt8 {
    case leftToRight
    case rightToLeft
    case arabicLetter
    case arabicNumber
    case europeanNumber
    case europeanSeparator
    case commonSeparator
    case europeanTerminator
    case otherNeutral
    case boundaryNeutral
    case nonspacingMark
  }

  /// Joining_Type, in the order of the table.
  enum JoiningType: UInt8 {
    case other
    case dual
    case left
    case right
    case transparent
  }

  static func status(of scalar: UInt32) -> Status { mappings.status(of: scalar) }

  static func combiningClass(of scalar: UInt32) -> UInt8 { classes[scalar] }

  static func bidiClass(of scalar: UInt32) -> BidiClass { BidiClass(rawValue: bidi[scalar]) ?? .otherNeutral }

  static func joiningType(of scalar: UInt32) -> JoiningType {
    JoiningType(rawValue: joining[scalar]) ?? .other
  }

  static func isMark(_ scalar: UInt32) -> Bool { markRanges[scalar] == 1 }

  /// The two scalars that a composite decomposes into, without Hangul.
  static func parts(of composite: UInt32) -> (first: UInt32, second: UInt32)? {
    pairs.parts[composite].map { (UInt32($0 >> 32), UInt32(truncatingIfNeeded: $0)) }
  }

  /// The composite of two scalars, without Hangul.
  static func composite(of first: UInt32, _ second: UInt32) -> UInt32? {
    pairs.composites[UInt64(first) << 32 | UInt64(second)]
  }

  private static let mappings = Mappings(numbers(mapping))
  private static let classes = Ranges(numbers(combiningClasses))
  private static let bidi = Ranges(numbers(bidiClasses))
  private static let joining = Ranges(numbers(joiningTypes))
  private static let markRanges = Ranges(numbers(marks))
  private static let pairs = Pairs(numbers(compositions))

  // MARK: - Reading

  /// Five bits a digit, the lowest first; a digit from 32 says that another follows.
  private static func numbers(_ text: StaticString) -> [Int] {
    text.withUTF8Buffer { bytes in
      var numbers: [Int] = []
      var number = 0
      var shift = 0
      for byte in bytes {
        let digit = Int(value(of: byte))
        number |= (digit & 31) << shift
        shift += 5
        if digit < 32 {
          numbers.append(number)
          number = 0
          shift = 0
        }
      }
      return numbers
    }
  }

  private static func value(of digit: UInt8) -> UInt8 {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x5A: digit - 0x41 + 10
    case 0x61...0x7A: digit - 0x61 + 36
    default: digit == UInt8(ascii: "+") ? 62 : 63
    }
  }

  private static func signed(_ number: Int) -> Int { number & 1 == 0 ? number / 2 : -(number + 1) / 2 }

  /// The place of the last start at or before a scalar; the first start is 0.
  private static func place(of scalar: UInt32, in starts: [UInt32]) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= scalar { low = middle } else { high = middle }
    }
    return low
  }

  /// Ranges of scalars with a value each.
  private struct Ranges {
    var starts: [UInt32] = []
    var values: [UInt8] = []

    init(_ numbers: [Int]) {
      var start: UInt32 = 0
      for index in stride(from: 0, to: numbers.count - 1, by: 2) {
        starts.append(start)
        values.append(UInt8(numbers[index + 1]))
        start += UInt32(numbers[index])
      }
    }

    subscript(scalar: UInt32) -> UInt8 { values[IDNATables.place(of: scalar, in: starts)] }
  }

  /// Primary composites.
  private struct Pairs {
    var parts: [UInt32: UInt64] = [:]
    var composites: [UInt64: UInt32] = [:]

    init(_ numbers: [Int]) {
      var scalar = 0
      for index in stride(from: 0, to: numbers.count - 2, by: 3) {
        scalar += numbers[index]
        let pair = UInt64(scalar + IDNATables.signed(numbers[index + 1])) << 32 | UInt64(numbers[index + 2])
        parts[UInt32(scalar)] = pair
        composites[pair] = UInt32(scalar)
      }
    }
  }

  /// Runs of scalars with the same status, or mapped in the same way.
  private struct Mappings {
    private enum Run {
      case all(Status)
      /// To the scalar so far away.
      case offset(Int)
      /// By turns to the next scalar, and valid.
      case alternating
      /// The places of the texts, one a scalar, and of the end of the last.
      case texts([Int])
    }

    private var starts: [UInt32] = []
    private var runs: [Run] = []
    private var scalars: [UInt32] = []

    init(_ numbers: [Int]) {
      var index = 0
      func next() -> Int {
        index += 1
        return numbers[index - 1]
      }
      var start = 0
      while index < numbers.count {
        let (count, kind) = next().quotientAndRemainder(dividingBy: 8)
        starts.append(UInt32(start))
        switch kind {
        case 0: runs.append(.all(.valid))
        case 1: runs.append(.all(.disallowed))
        case 2: runs.append(.all(.ignored))
        case 3: runs.append(.offset(IDNATables.signed(next())))
        case 4: runs.append(.alternating)
        default:
          var previous = start
          var places = [scalars.count]
          for _ in 0..<count {
            for _ in 0..<next() {
              previous += IDNATables.signed(next())
              scalars.append(UInt32(previous))
            }
            places.append(scalars.count)
          }
          runs.append(.texts(places))
        }
        start += kind == 4 ? 2 * count : count
      }
    }

    func status(of scalar: UInt32) -> Status {
      let place = IDNATables.place(of: scalar, in: starts)
      let distance = Int(scalar - starts[place])
      switch runs[place] {
      case .all(let status): return status
      case .offset(let offset): return .mapped([UInt32(Int(scalar) + offset)])
      case .alternating: return distance % 2 == 0 ? .mapped([scalar + 1]) : .valid
      case .texts(let places): return .mapped(scalars[places[distance]..<places[distance + 1]])
      }
    }
  }
}
