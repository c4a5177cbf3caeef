/** A URL without credentials, and the headers of requests and upgrades. */
export interface UpstreamAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Moves `user:password@` out of a URL into a header; an `authorization` among `further` goes before it. */
export function splitCredentials(configured: string, further: Readonly<Record<string, string>> = {}): UpstreamAddress {
  const url = new URL(configured)
  const credentials = `${decode(url.username)}:${decode(url.password)}`
  url.username = ''
  url.password = ''
  const isGiven = credentials === ':' || Object.keys(further).some((name) => name.toLowerCase() === 'authorization')
  if (isGiven) return { url: url.href, headers: further }
  return {
    url: url.href,
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}`, ...further },
  }
}

/** A percent sign that encodes nothing stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
