/// Three box filters of one width, one after the other, along lines of four pixels side by side.
///
/// Each filter takes the pixels at the ends of its line as going on outside. The sums of all three are whole numbers, so
/// they are exact; only the division by `width`³ at the end rounds. Each pixel enters and leaves a running sum once, so the
/// cost doesn't depend on the width.
struct TripleBox {
  let width: Int
  /// Turns sums into averages.
  let average: Float

  /// Past it, sums don't fit 31 bits: 255 × 203³ is the last that does.
  private static let widestNarrow = 203

  /// Bytes of memory for each pixel of a line.
  static let bytesPerPixel =
    MemoryLayout<FourPixels>.stride + MemoryLayout<Channels<Int32>>.stride
    + MemoryLayout<Channels<Int64>>.stride

  /// - Precondition: The width is odd, and at most ``BlurEffect/widestBox``.
  init(width: Int) {
    precondition(width % 2 == 1 && width <= BlurEffect.widestBox, "a box has a middle")
    self.width = width
    average = Float(1 / (Double(width) * Double(width) * Double(width)))
  }

  /// - Parameters:
  ///   - memory: Of ``bytesPerPixel`` for each pixel; the line lies at its beginning.
  ///   - take: Gets the place of each pixel and what it becomes.
  @inline(__always)
  func filter(
    _ memory: UnsafeMutableRawPointer, count: Int, take: (_ index: Int, _ colours: Colours) -> Void
  ) {
    let line = UnsafePointer(memory.assumingMemoryBound(to: FourPixels.self))
    let first = memory + count * MemoryLayout<FourPixels>.stride
    guard width > 1 else {
      for index in 0..<count {
        take(index, Colours(unsafeBitCast(line[index], to: SIMD4<UInt32>.self)))
      }
      return
    }
    if width <= Self.widestNarrow {
      let once = first.assumingMemoryBound(to: NarrowSums.self)
      let twice = (first + count * MemoryLayout<NarrowSums>.stride)
        .assumingMemoryBound(to: Channels<Int32>.self)
      pass(line, count, NarrowSums()) { once[$0] = $1 }
      pass(once, count, SumsOfNarrowSums()) { twice[$0] = $1.channels }
      pass(twice, count, SumsOfSums<Int32, Int32>()) { take($0, $1.channels.scaled(by: average)) }
    } else {
      let once = first.assumingMemoryBound(to: Channels<Int32>.self)
      let twice = (first + count * MemoryLayout<Channels<Int32>>.stride)
        .assumingMemoryBound(to: Channels<Int64>.self)
      pass(line, count, WideSums()) { once[$0] = $1.channels }
      pass(once, count, SumsOfSums<Int32, Int64>()) { twice[$0] = $1.channels }
      pass(twice, count, SumsOfSums<Int64, Int64>()) { take($0, $1.channels.scaled(by: average)) }
    }
  }

  /// One box.
  @inline(__always)
  private func pass<Sum: RunningSum>(
    _ line: UnsafePointer<Sum.Element>, _ count: Int, _ empty: Sum, take: (Int, Sum) -> Void
  ) {
    let reach = width / 2
    let last = count - 1
    let inside = min(reach, last)
    var sum = empty
    sum.add(line[0], times: reach + 1)
    for index in 0..<inside { sum.add(line[index + 1], times: 1) }
    sum.add(line[last], times: reach - inside)
    take(0, sum)
    var index = 1
    // While the left end stands still; then both ends move, if the box is narrower than the line.
    while index < count {
      sum.slide(in: line[min(index + reach, last)], out: line[max(index - reach - 1, 0)])
      take(index, sum)
      index += 1
    }
  }
}

/// The sum of the elements in a window that moves along a line.
private protocol RunningSum {
  associatedtype Element

  mutating func add(_ element: Element, times: Int)
  mutating func slide(in entering: Element, out leaving: Element)
}

/// Sums of bytes that fit 16 bits: of up to 257.
private struct NarrowSums: RunningSum {
  fileprivate var even = SIMD8<UInt16>.zero
  fileprivate var odd = SIMD8<UInt16>.zero

  @inline(__always)
  mutating func add(_ pixels: FourPixels, times: Int) {
    even &+= (pixels & 0xFF) &* UInt16(truncatingIfNeeded: times)
    odd &+= (pixels &>> 8) &* UInt16(truncatingIfNeeded: times)
  }

  @inline(__always)
  mutating func slide(in entering: FourPixels, out leaving: FourPixels) {
    even = even &+ (entering & 0xFF) &- (leaving & 0xFF)
    odd = odd &+ (entering &>> 8) &- (leaving &>> 8)
  }
}

private struct WideSums: RunningSum {
  fileprivate var channels = Channels<Int32>()

  @inline(__always)
  mutating func add(_ pixels: FourPixels, times: Int) {
    channels.add(Channels(even: pixels & 0xFF, odd: pixels &>> 8), times: Int32(truncatingIfNeeded: times))
  }

  @inline(__always)
  mutating func slide(in entering: FourPixels, out leaving: FourPixels) {
    channels.slide(
      in: Channels(even: entering & 0xFF, odd: entering &>> 8),
      out: Channels(even: leaving & 0xFF, odd: leaving &>> 8))
  }
}

private struct SumsOfNarrowSums: RunningSum {
  fileprivate var channels = Channels<Int32>()

  @inline(__always)
  mutating func add(_ sums: NarrowSums, times: Int) {
    channels.add(Channels(even: sums.even, odd: sums.odd), times: Int32(truncatingIfNeeded: times))
  }

  @inline(__always)
  mutating func slide(in entering: NarrowSums, out leaving: NarrowSums) {
    channels.slide(
      in: Channels(even: entering.even, odd: entering.odd),
      out: Channels(even: leaving.even, odd: leaving.odd))
  }
}

private struct SumsOfSums<Part: FixedWidthInteger & SIMDScalar, Whole: FixedWidthInteger & SIMDScalar>:
  RunningSum
{
  fileprivate var channels = Channels<Whole>()

  @inline(__always)
  mutating func add(_ sums: Channels<Part>, times: Int) {
    channels.add(Channels(sums), times: Whole(truncatingIfNeeded: times))
  }

  @inline(__always)
  mutating func slide(in entering: Channels<Part>, out leaving: Channels<Part>) {
    channels.slide(in: Channels(entering), out: Channels(leaving))
  }
}
