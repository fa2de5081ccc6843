/// Sixteen bytes: one pixel each of four neighbouring lines, seen as eight pairs of channels.
typealias FourPixels = SIMD8<UInt16>

/// One number for each channel of four pixels. Bytes 0 and 2 of a pixel are red and blue, or blue and red.
struct Channels<Scalar: FixedWidthInteger & SIMDScalar> {
  var zeroth: SIMD4<Scalar>
  var first: SIMD4<Scalar>
  var second: SIMD4<Scalar>
  var alpha: SIMD4<Scalar>

  @inline(__always)
  init() {
    zeroth = .zero
    first = .zero
    second = .zero
    alpha = .zero
  }

  /// - Parameters:
  ///   - even: Bytes 0 and 2 of each pixel, as signed numbers.
  ///   - odd: Bytes 1 and 3.
  @inline(__always)
  init(even: SIMD8<Int16>, odd: SIMD8<Int16>) {
    let even = unsafeBitCast(even, to: SIMD4<Int32>.self)
    let odd = unsafeBitCast(odd, to: SIMD4<Int32>.self)
    zeroth = SIMD4<Scalar>(truncatingIfNeeded: (even &<< 16) &>> 16)
    second = SIMD4<Scalar>(truncatingIfNeeded: even &>> 16)
    first = SIMD4<Scalar>(truncatingIfNeeded: (odd &<< 16) &>> 16)
    alpha = SIMD4<Scalar>(truncatingIfNeeded: odd &>> 16)
  }

  @inline(__always)
  mutating func add(_ other: Self) {
    zeroth &+= other.zeroth
    first &+= other.first
    second &+= other.second
    alpha &+= other.alpha
  }

  @inline(__always)
  mutating func add(_ other: Self, times factor: Scalar) {
    zeroth &+= other.zeroth &* factor
    first &+= other.first &* factor
    second &+= other.second &* factor
    alpha &+= other.alpha &* factor
  }

  @inline(__always)
  func scaled(by factor: Float) -> Colours {
    Colours(
      zeroth: SIMD4<Float>(zeroth) * factor, first: SIMD4<Float>(first) * factor,
      second: SIMD4<Float>(second) * factor, alpha: SIMD4<Float>(alpha) * factor)
  }
}

/// Three box filters of one width in a row along a line, with the pixels at its ends going on outside.
///
/// The three are one recurrence on whole numbers: a box is a running sum of what enters less what leaves, so three are the
/// third difference of the line at the distance `width`, summed three times. The sums wrap around and come out exact; only
/// their division by `width`³ rounds. The cost per pixel doesn't depend on the width.
struct TripleBox<Scalar: FixedWidthInteger & SIMDScalar> {
  let width: Int

  /// Of three boxes, to turn sums into averages.
  let average: Float

  /// - Precondition: 255 times the third power of an odd width fits `Scalar`.
  init(width: Int) {
    precondition(width % 2 == 1, "a box has a middle")
    self.width = width
    average = Float(1 / (Double(width) * Double(width) * Double(width)))
  }

  /// - Parameters:
  ///   - line: Its pixels, at least one.
  ///   - take: Gets the place of each pixel and the sums of the `width`³ weights around it.
  @inline(__always)
  func filter(
    _ line: UnsafeBufferPointer<FourPixels>, take: (_ index: Int, _ sums: Channels<Scalar>) -> Void
  ) {
    let count = line.count
    let delay = 3 * (width - 1) / 2
    let last = delay + count - 1
    var once = Channels<Scalar>()
    var twice = Channels<Scalar>()
    var sums = Channels<Scalar>()
    // Before the line everything is its first pixel.
    let (even, odd) = Self.split(line[0])
    sums.add(Channels(even: even, odd: odd), times: Scalar(width) * Scalar(width) * Scalar(width))
    if delay == 0 { take(0, sums) }
    var step = 1
    while step <= last {
      var taps = Taps(line, at: step, distance: width)
      let end = min(taps.end, step < delay ? delay - 1 : last)
      if step >= delay {
        for place in step...end {
          once.add(taps.next())
          twice.add(once)
          sums.add(twice)
          take(place - delay, sums)
        }
      } else if taps.isMoving {
        for _ in step...end {
          once.add(taps.next())
          twice.add(once)
          sums.add(twice)
        }
      } else {
        // Nothing changes for a while: all the sums at once, so that a box far wider than the line costs nothing.
        let steps = end - step + 1
        let change = taps.next()
        sums.add(twice, times: Scalar(truncatingIfNeeded: steps))
        sums.add(once, times: Scalar(truncatingIfNeeded: steps * (steps + 1) / 2))
        sums.add(change, times: Scalar(truncatingIfNeeded: steps * (steps + 1) * (steps + 2) / 6))
        twice.add(once, times: Scalar(truncatingIfNeeded: steps))
        twice.add(change, times: Scalar(truncatingIfNeeded: steps * (steps + 1) / 2))
        once.add(change, times: Scalar(truncatingIfNeeded: steps))
      }
      step = end + 1
    }
  }

  @inline(__always)
  fileprivate static func split(_ pixels: FourPixels) -> (even: SIMD8<Int16>, odd: SIMD8<Int16>) {
    (
      unsafeBitCast(pixels & 0xFF, to: SIMD8<Int16>.self), unsafeBitCast(pixels &>> 8, to: SIMD8<Int16>.self)
    )
  }

  /// The four pixels, a width apart, whose differences are what comes in; each stands still while it is outside the line.
  private struct Taps {
    /// The last step for which each of them goes on as it does now.
    private(set) var end = Int.max
    private(set) var isMoving = false
    private var places: (UnsafePointer<FourPixels>, UnsafePointer<FourPixels>, UnsafePointer<FourPixels>,
      UnsafePointer<FourPixels>)
    private var strides: (Int, Int, Int, Int) = (0, 0, 0, 0)

    @inline(__always)
    init(_ line: UnsafeBufferPointer<FourPixels>, at step: Int, distance: Int) {
      let base = line.baseAddress!
      places = (base, base, base, base)
      (places.0, strides.0) = tap(base, line.count, step, lag: 0)
      (places.1, strides.1) = tap(base, line.count, step, lag: distance)
      (places.2, strides.2) = tap(base, line.count, step, lag: 2 * distance)
      (places.3, strides.3) = tap(base, line.count, step, lag: 3 * distance)
    }

    @inline(__always)
    private mutating func tap(
      _ base: UnsafePointer<FourPixels>, _ count: Int, _ step: Int, lag: Int
    ) -> (UnsafePointer<FourPixels>, Int) {
      let index = step - lag
      if index < 1 {
        end = min(end, lag)
        return (base, 0)
      }
      guard index < count else { return (base + (count - 1), 0) }
      end = min(end, lag + count - 1)
      isMoving = true
      return (base + index, 1)
    }

    @inline(__always)
    mutating func next() -> Channels<Scalar> {
      let (even0, odd0) = TripleBox.split(places.0.pointee)
      let (even1, odd1) = TripleBox.split(places.1.pointee)
      let (even2, odd2) = TripleBox.split(places.2.pointee)
      let (even3, odd3) = TripleBox.split(places.3.pointee)
      places.0 += strides.0
      places.1 += strides.1
      places.2 += strides.2
      places.3 += strides.3
      let evenInner = even2 &- even1
      let oddInner = odd2 &- odd1
      return Channels(
        even: even0 &- even3 &+ evenInner &+ evenInner &+ evenInner,
        odd: odd0 &- odd3 &+ oddInner &+ oddInner &+ oddInner)
    }
  }
}
