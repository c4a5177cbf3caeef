/** The headers that the gateway decides by. */
export interface RequestHead {
  host: string
  /** Such a request is refused, since another server may route it by the second host (RFC 9112 §3.2). */
  hasTwoHosts: boolean
  /** Undefined where there are two, too: neither is to be trusted. */
  origin: string | undefined
  /** Such a request is refused, likewise: what stands in front may have judged the other one. */
  hasTwoOrigins: boolean
  authorization: string | undefined
  /** Such a request is refused, likewise. */
  hasTwoAuthorizations: boolean
  /** `X-Api-Key`, a key in the place of the path's. */
  apiKey: string | undefined
  /** Such a request is refused: what stands in front may have judged the other one. */
  hasTwoKeys: boolean
  /** All of `X-Forwarded-For`: the nearest address comes last. Whoever sends it may have made it up. */
  forwardedFor: string | undefined
  userAgent: string | undefined
  contentLength: string | undefined
  contentEncoding: string | undefined
  /** `X-Wayleave-Marks`. */
  marks: string | undefined
  /** `X-Wayleave-Consistency`. */
  consistency: string | undefined
  /** `X-Wayleave-Skip-Cache`. */
  skipCache: string | undefined
  ifNoneMatch: string | undefined
  /** The trace of the caller; undefined where there are two, which says nothing (W3C Trace Context §3.2). */
  traceparent: string | undefined
}

/**
 * Reads a {@link RequestHead} from `rawHeaders`: the first header of each name, but every one of lists. Node's own `headers` builds
 * an object of all headers, which costs more than all decisions that these few lead to.
 */
export function readHead(raw: readonly string[]): RequestHead {
  const head: RequestHead = {
    host: '',
    hasTwoHosts: false,
    origin: undefined,
    hasTwoOrigins: false,
    authorization: undefined,
    hasTwoAuthorizations: false,
    apiKey: undefined,
    hasTwoKeys: false,
    forwardedFor: undefined,
    userAgent: undefined,
    contentLength: undefined,
    contentEncoding: undefined,
    marks: undefined,
    consistency: undefined,
    skipCache: undefined,
    ifNoneMatch: undefined,
    traceparent: undefined,
  }
  let hasHost = false
  let hasOrigin = false
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!
    switch (name.length) {
      case 4:
        if (name.toLowerCase() !== 'host') break
        if (hasHost) head.hasTwoHosts = true
        else head.host = raw[i + 1]!
        hasHost = true
        break
      case 6:
        if (name.toLowerCase() !== 'origin') break
        if (hasOrigin) head.hasTwoOrigins = true
        head.origin = hasOrigin ? undefined : raw[i + 1]!
        hasOrigin = true
        break
      case 9:
        if (name.toLowerCase() !== 'x-api-key' || raw[i + 1] === '') break
        if (head.apiKey !== undefined && head.apiKey !== raw[i + 1]) head.hasTwoKeys = true
        head.apiKey ??= raw[i + 1]!
        break
      case 10:
        if (name.toLowerCase() === 'user-agent') head.userAgent ??= raw[i + 1]!
        break
      case 11:
        if (name.toLowerCase() === 'traceparent') head.traceparent = head.traceparent === undefined ? raw[i + 1]! : ''
        break
      case 13:
        if (name.toLowerCase() === 'authorization') {
          if (head.authorization !== undefined && head.authorization !== raw[i + 1]) head.hasTwoAuthorizations = true
          head.authorization ??= raw[i + 1]!
        } else if (name.toLowerCase() === 'if-none-match') head.ifNoneMatch = joined(head.ifNoneMatch, raw[i + 1]!)
        break
      case 14:
        if (name.toLowerCase() === 'content-length') head.contentLength ??= raw[i + 1]!
        break
      case 15:
        if (name.toLowerCase() === 'x-forwarded-for') head.forwardedFor = joined(head.forwardedFor, raw[i + 1]!)
        break
      case 16:
        if (name.toLowerCase() === 'content-encoding') head.contentEncoding ??= raw[i + 1]!
        else if (name.toLowerCase() === 'x-wayleave-marks') head.marks ??= raw[i + 1]!
        break
      case 21:
        if (name.toLowerCase() === 'x-wayleave-skip-cache') head.skipCache ??= raw[i + 1]!
        break
      case 22:
        if (name.toLowerCase() === 'x-wayleave-consistency') head.consistency ??= raw[i + 1]!
        break
    }
  }
  return head
}

/** Joins the lines of a list, which may come in several (RFC 9110 §5.3). */
function joined(list: string | undefined, line: string): string {
  return list === undefined ? line : `${list},${line}`
}
