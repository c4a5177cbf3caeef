import { type HttpAnswer, plainAnswer } from '@wayleave/http-server'
import type { Cordons } from '@wayleave/network'

const prefix = '/upstreams/'
const form = '?network=<slug>&upstream=<name>'
const longestWhy = 200

/** Tells whether a path of the admin listener is one of {@link answerCordon}. */
export function isCordonPath(path: string): boolean {
  return path === `${prefix}cordon` || path === `${prefix}uncordon`
}

/**
 * Answers `POST /upstreams/cordon?network=&upstream=&why=` and `/upstreams/uncordon`. An upstream that is cordoned gets no further calls;
 * those on their way go on.
 */
export async function answerCordon(
  path: string,
  query: string | undefined,
  cordons: Pick<Cordons, 'upstreams' | 'cordon'>,
): Promise<HttpAnswer> {
  const isCordon = path === `${prefix}cordon`
  const params = new URLSearchParams(query)
  const network = params.get('network')
  const upstream = params.get('upstream')
  const why = isCordon ? (params.get('why') ?? 'no reason was given') : undefined
  if (!network || !upstream) return plainAnswer(400, `use ${path}${form}${isCordon ? '&why=<reason>' : ''}\n`)
  if (why !== undefined && !isReason.test(why)) {
    return plainAnswer(400, `why is 1 to ${longestWhy} characters, none of them a control character\n`)
  }
  const networks = Object.keys(cordons.upstreams)
  if (!networks.includes(network)) return notFound('network', networks)
  const names = cordons.upstreams[network]!
  if (!names.includes(upstream)) return notFound(`upstream of ${network}`, names)
  const isReported = await cordons.cordon(network, upstream, why)
  const [now, reason] = why === undefined ? ['is in use', ''] : ['is cordoned', `: ${why}`]
  return plainAnswer(200, `${upstream} ${now}${isReported ? '' : onlyHere}${reason}\n`)
}

const onlyHere = ' here, and in other replicas once redis works again'
const isReason = new RegExp(`^\\P{Cc}{1,${longestWhy}}$`, 'u')

/** Names those that there are, and not what was asked for. */
function notFound(what: string, names: readonly string[]): HttpAnswer {
  return plainAnswer(404, `no such ${what}; there are: ${names.join(', ')}\n`)
}
