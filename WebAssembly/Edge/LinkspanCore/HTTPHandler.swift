/// A server whose answers are all there at once: a function from request to response.
package typealias HTTPHandler = @Sendable (HTTPRequest) -> HTTPResponse
