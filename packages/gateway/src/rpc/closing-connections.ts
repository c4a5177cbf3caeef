/** Connections whose last answer is on its way: further requests on them are not served (RFC 9112 §9.6). */
const closing = new WeakSet<object>()

/** Tells whether a connection takes no further requests. */
export function isClosing(socket: object): boolean {
  return closing.has(socket)
}

/** Takes no further requests of a connection; returns the header that tells it. */
export function closeAfter(socket: object): readonly string[] {
  closing.add(socket)
  return ['Connection', 'close']
}
