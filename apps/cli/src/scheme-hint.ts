/** Prints `; is it http://…?` for a host without a scheme, else nothing. Nothing of its path, which may be a key. */
export function schemeHint(given: string | undefined): string {
  const [, host] = /^((?:localhost|\[[\da-f:]+\]|[\w-]+(?:\.[\w-]+)+)(?::\d+)?)(?:\/|$)/i.exec(given ?? '') ?? []
  return host === undefined ? '' : `; is it http://${host}${given === host ? '' : '/…'}?`
}
