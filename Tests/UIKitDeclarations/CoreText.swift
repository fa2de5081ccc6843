// swift-format-ignore-file
// Declarations of Core Text, as far as the adapters of the library use it; see UIKit.swift.
@_exported import Foundation

public final class CFError: Sendable {}
public typealias CFURL = NSURL
public func CFErrorGetCode(_ error: CFError) -> Int { 0 }
public enum CTFontManagerScope: UInt32, Sendable { case process = 1 }
public enum CTFontManagerError: Int, Sendable { case alreadyRegistered = 105 }
public func CTFontManagerRegisterFontsForURL(
  _ fontURL: CFURL, _ scope: CTFontManagerScope, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool { false }
