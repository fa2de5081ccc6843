import DeviceRegistry
import LinkspanCore
import Testing

@testable import LinkspanConsole

@Suite struct DeliverySeriesTests {
  private static func count(_ minute: Int64, _ state: DeliveryState, _ number: Int64) -> MinuteCount {
    MinuteCount(minute: minute, state: state, reason: "", number: number)
  }

  @Test func everyEndIsInAColumn() {
    let series = DeliverySeries(
      [
        Self.count(100, .accepted, 40), Self.count(100, .rejected, 10), Self.count(159, .expired, 2),
        Self.count(160, .accepted, 99),
      ], minutes: 100..<160)
    let picture = series.picture.text
    #expect(picture.contains("52 deliveries ended, at most 50 in a column of 2 minutes"))
    // Of 50: 40 from the bottom, 10 on top of them.
    #expect(picture.contains("<path class=\"accepted\" d=\"M0 100V20h10V100h290V100z\"/>"))
    #expect(picture.contains("<path class=\"rejected\" d=\"M0 100V0h10V100h290V100z\"/>"))
    #expect(picture.contains("<path class=\"other\" d=\"M0 100V0h10V100h280V96h10V100z\"/>"))
    #expect(picture.contains("<span>50</span>") && picture.contains("<span>0</span>"))
    let table = series.table.text
    #expect(table.contains("data-key=\"minute 100\"") && table.contains("data-key=\"minute 158\""))
    #expect(!table.contains("data-key=\"minute 101\""))
  }

  /// A day has 1,440 minutes, and the picture 30 columns.
  @Test func longTimesHaveWiderColumns() {
    let series = DeliverySeries([Self.count(1_439, .accepted, 7)], minutes: 0..<1_440)
    #expect(series.picture.text.contains("a column is 48 minutes"))
    #expect(series.picture.text.contains("viewBox=\"0 0 300 100\""))
    #expect(series.table.text.contains("data-key=\"minute 1392\""))
  }

  /// The picture has 30 columns at most: up to half an hour each is a minute.
  @Test(arguments: [
    (1, 1, "a minute", "in a minute"), (30, 30, "a minute", "in a minute"),
    (31, 16, "2 minutes", "in a column of 2 minutes"), (60, 30, "2 minutes", "in a column of 2 minutes"),
    (61, 21, "3 minutes", "in a column of 3 minutes"),
  ])
  func columnsSayHowLongTheyAre(minutes: Int64, columns: Int, length: String, most: String) {
    let text = DeliverySeries([Self.count(0, .accepted, 1)], minutes: 0..<minutes).picture.text
    #expect(text.contains("a column is \(length)</span>"))
    #expect(text.contains("1 delivery ended, at most 1 \(most)."))
    #expect(text.contains("viewBox=\"0 0 \(columns * 10) 100\""))
  }

  @Test func withoutEndsThereIsNoTable() {
    let series = DeliverySeries([], minutes: 0..<60)
    #expect(series.picture.text.contains("0 deliveries ended"))
    #expect(series.table.text.isEmpty)
  }
}

@Suite struct LockScreenTests {
  private static func markup(_ payload: String) -> String? {
    LockScreen(payload: payload, topic: "com.example.shop")?.markup.text
  }

  @Test func showsTheAlertAtThreeSizes() throws {
    let text = try #require(
      Self.markup(
        #"{"aps":{"alert":{"title":"Sale <now>","body":"Until midnight"},"sound":"default","badge":3}}"#))
    #expect(text.components(separated: "Sale &lt;now&gt;") == 4)
    #expect(text.contains("shop<span>now</span>") && text.contains("Until midnight"))
    #expect(text.contains("It plays a sound") && text.contains("badge becomes 3"))
  }

  @Test func aTextOfTheAppIsNamedByItsKey() throws {
    let text = try #require(Self.markup(#"{"aps":{"alert":{"loc-key":"SALE_BODY"}}}"#))
    #expect(text.contains("[SALE_BODY]") && text.contains("A text in brackets is a key"))
  }

  @Test func aPushWithoutAnAlertShowsNothing() throws {
    let text = try #require(Self.markup(#"{"aps":{"content-available":1}}"#))
    #expect(text.contains("Nothing is shown: the payload has no alert."))
    #expect(Self.markup("{") == nil)
    #expect(Self.markup("{}") == nil)
  }
}

extension String {
  /// In how many pieces a separator cuts it.
  fileprivate func components(separated separator: String) -> Int {
    split(separator: separator, omittingEmptySubsequences: false).count
  }
}
