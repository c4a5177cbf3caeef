/** The names of the options, and of those inside each that is an object. */
const ofClient: Readonly<Record<string, string>> = {
  createClient:
    'url apiKey apiKeySecret token network apis transport timeoutMs attemptTimeoutMs retry resendTransactions batch coalesce verify resubscribe onReconnect heartbeat',
  retry: 'maxRetries baseDelayMs maxDelayMs maxRetryAfterMs onRetry',
  batch: 'maxCalls maxBytes waitMs',
  heartbeat: 'intervalMs timeoutMs',
}

/** Refuses options that do not exist, with the one that may be meant. @throws TypeError */
export function assertOptions(
  options: unknown,
  place: string,
  known: Readonly<Record<string, string>> = ofClient,
): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${place}: expected an object of options`)
  }
  const names = known[place]!.split(' ')
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name)) {
      const near = nearest(name.slice(0, 40), names)
      const hint = near === undefined ? `; there are ${names.join(', ')}` : `: did you mean ${near}?`
      throw new TypeError(`${place}: there is no option ${JSON.stringify(name.slice(0, 40))}${hint}`)
    }
    if (Object.hasOwn(known, name) && typeof value === 'object' && value !== null) assertOptions(value, name, known)
  }
}

/** The name with the same letters but two, or that holds the other, is held by it, or begins like it. */
function nearest(name: string, names: readonly string[]): string | undefined {
  const given = name.toLowerCase()
  let [found, least]: [string | undefined, number] = [undefined, 3]
  for (const each of names) {
    const apart = lettersApart(given, each.toLowerCase())
    if (apart < least) [found, least] = [each, apart]
  }
  return (
    found ??
    names.find((each) => {
      const other = each.toLowerCase()
      const holds = other.includes(given) || given.includes(other)
      return given.length > 2 && (holds || (given.length > 3 && other.startsWith(given.slice(0, 4))))
    })
  )
}

/** Counts the letters that only one of two names has. */
function lettersApart(a: string, b: string): number {
  let rest = b
  let apart = 0
  for (const letter of a) {
    if (rest.includes(letter)) rest = rest.replace(letter, '')
    else apart++
  }
  return apart + rest.length
}
