/** Calls in flight by connection: HTTP lets a caller send the next before the last is answered. */
export const callsOf: WeakMap<object, number> = new WeakMap<object, number>()
