// swift-format-ignore-file
// Declarations of UIKit, as far as the adapters of the library use it, so that `Scripts/app-adapters` can type-check them
// where there is no UIKit. Written from Apple's documentation. Nothing here does anything, and nothing here is ever run.
@_exported import Foundation

public class NSUserActivity: NSObject {
  public init(activityType: String) { self.activityType = activityType }
  public let activityType: String
  public var title: String?
  public var userInfo: [AnyHashable: Any]?
  public var requiredUserInfoKeys: Set<String>?
  public var webpageURL: URL?
  public var isEligibleForHandoff = true
  public var appClipActivationPayload: APActivationPayload? { nil }
}
public class APActivationPayload: NSObject { public var url: URL? { nil } }

@MainActor open class UIResponder: NSObject {}
@MainActor public class UIApplication: UIResponder {
  public class var shared: UIApplication { UIApplication() }
  public nonisolated class var didBecomeActiveNotification: Notification.Name { .init("") }
  public nonisolated class var willResignActiveNotification: Notification.Name { .init("") }
  public nonisolated class var didEnterBackgroundNotification: Notification.Name { .init("") }
  public struct OpenExternalURLOptionsKey: Hashable, Sendable {}
  public struct LaunchOptionsKey: Hashable, Sendable {
    public let rawValue: String
    public static let url = LaunchOptionsKey(rawValue: "")
    public static let userActivityDictionary = LaunchOptionsKey(rawValue: "")
  }
  public func open(
    _ url: URL, options: [OpenExternalURLOptionsKey: Any], completionHandler: (@MainActor @Sendable (Bool) -> Void)?
  ) {}
}
public enum UIBackgroundFetchResult: UInt, Sendable { case newData, noData, failed }

@MainActor public class UISceneSession: NSObject { public var persistentIdentifier: String { "" } }
@MainActor open class UIScene: UIResponder {
  public var session: UISceneSession { UISceneSession() }
  @MainActor public class ConnectionOptions: NSObject {
    public var userActivities: Set<NSUserActivity> { [] }
    public var urlContexts: Set<UIOpenURLContext> { [] }
  }
  public nonisolated class var willDeactivateNotification: Notification.Name { .init("") }
  public nonisolated class var didEnterBackgroundNotification: Notification.Name { .init("") }
  public nonisolated class var willEnterForegroundNotification: Notification.Name { .init("") }
  public nonisolated class var didActivateNotification: Notification.Name { .init("") }
  public nonisolated class var didDisconnectNotification: Notification.Name { .init("") }
}
@MainActor public class UIOpenURLContext: NSObject { public var url: URL { URL(fileURLWithPath: "") } }
@MainActor open class UIWindowScene: UIScene { public var windows: [UIWindow] { [] } }
@MainActor public class UIScreen: NSObject { public var scale: CGFloat { 1 } }

@MainActor open class UIView: UIResponder {
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var flexibleWidth: AutoresizingMask { .init(rawValue: 2) }
    public static var flexibleHeight: AutoresizingMask { .init(rawValue: 16) }
  }
  public init(frame: CGRect) {}
  open var frame: CGRect = .zero
  open var bounds: CGRect = .zero
  open var autoresizingMask: AutoresizingMask = []
  open var backgroundColor: UIColor?
  open var isHidden = false
  open func addSubview(_ view: UIView) {}
  open func removeFromSuperview() {}
  open func drawHierarchy(in rect: CGRect, afterScreenUpdates afterUpdates: Bool) -> Bool { false }
}
@MainActor open class UIWindow: UIView {
  public struct Level: Hashable, Sendable {
    public let rawValue: CGFloat
    public init(rawValue: CGFloat) { self.rawValue = rawValue }
    public static let alert = Level(rawValue: 2000)
  }
  public init(windowScene: UIWindowScene) { super.init(frame: .zero) }
  open var windowLevel = Level(rawValue: 0)
  open var rootViewController: UIViewController?
  open var screen: UIScreen { UIScreen() }
}
@MainActor open class UIViewController: UIResponder { open var view: UIView! }
@MainActor open class UIImageView: UIView { public init(image: UIImage?) { super.init(frame: .zero) } }
public final class UIColor: NSObject, Sendable {
  public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
}
public final class UIImage: NSObject, Sendable {
  public enum Orientation: Int, Sendable { case up }
  public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {}
}

@MainActor public class UIAlertAction: NSObject {
  public enum Style: Int, Sendable { case `default`, cancel, destructive }
  public convenience init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) { self.init() }
}
@MainActor public class UIAlertController: UIViewController {
  public enum Style: Int, Sendable { case actionSheet, alert }
  public convenience init(title: String?, message: String?, preferredStyle: Style) { self.init() }
  public func addAction(_ action: UIAlertAction) {}
}

public struct UIEdgeInsets: Equatable, Sendable {
  public var top, left, bottom, right: CGFloat
  public static let zero = UIEdgeInsets(top: 0, left: 0, bottom: 0, right: 0)
}
extension IndexPath {
  public init(item: Int, section: Int) { self = [section, item] }
  public var section: Int { self[0] }
}
@MainActor open class UICollectionView: UIView {
  public class var elementKindSectionHeader: String { "" }
  public class var elementKindSectionFooter: String { "" }
  public var contentOffset: CGPoint { .zero }
  public var adjustedContentInset: UIEdgeInsets { .zero }
  public var numberOfSections: Int { 0 }
  public func numberOfItems(inSection section: Int) -> Int { 0 }
}
@MainActor open class UICollectionViewLayoutAttributes: NSObject {
  open var frame: CGRect = .zero
  open var zIndex = 0
  open var representedElementKind: String? { nil }
}
@MainActor open class UICollectionViewLayout: NSObject {
  open var collectionView: UICollectionView? { nil }
  open func shouldInvalidateLayout(forBoundsChange newBounds: CGRect) -> Bool { false }
  open func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? { nil }
  open func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? { nil }
  open func layoutAttributesForSupplementaryView(
    ofKind elementKind: String, at indexPath: IndexPath
  ) -> UICollectionViewLayoutAttributes? { nil }
}
@MainActor open class UICollectionViewFlowLayout: UICollectionViewLayout {
  open var sectionInset = UIEdgeInsets.zero
}

// Core Graphics, which UIKit brings along.
public final class CGColorSpace: Sendable {}
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace() }
public enum CGImageAlphaInfo: UInt32, Sendable { case premultipliedLast = 1 }
public final class CGImage: Sendable {}
public class CGContext {
  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: UInt32
  ) { nil }
  public var data: UnsafeMutableRawPointer? { nil }
  public func translateBy(x: CGFloat, y: CGFloat) {}
  public func scaleBy(x: CGFloat, y: CGFloat) {}
  public func makeImage() -> CGImage? { nil }
}
@MainActor public func UIGraphicsPushContext(_ context: CGContext) {}
@MainActor public func UIGraphicsPopContext() {}
