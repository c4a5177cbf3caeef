import { type HttpAnswer, plainAnswer } from '../http/answer.ts'

/** The upstreams that an operator can leave alone at run time. */
export interface CordonOptions {
  /** The names of upstreams, by network. */
  readonly upstreams: Readonly<Record<string, readonly string[]>>
  /** Leaves an upstream alone for the reason given, or no longer where it is undefined; false where there is no such one. */
  readonly cordon: (network: string, upstream: string, why: string | undefined) => boolean
}

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
export function answerCordon(path: string, query: string | undefined, options: CordonOptions): HttpAnswer {
  const isCordon = path === `${prefix}cordon`
  const params = new URLSearchParams(query)
  const network = params.get('network')
  const upstream = params.get('upstream')
  const why = isCordon ? (params.get('why') ?? 'no reason was given') : undefined
  if (!network || !upstream) return plainAnswer(400, `use ${path}${form}${isCordon ? '&why=<reason>' : ''}\n`)
  if (why !== undefined && !isReason.test(why)) {
    return plainAnswer(400, `why is 1 to ${longestWhy} characters, none of them a control character\n`)
  }
  const networks = Object.keys(options.upstreams)
  if (!networks.includes(network)) return notFound('network', networks)
  const names = options.upstreams[network]!
  if (!names.includes(upstream) || !options.cordon(network, upstream, why)) {
    return notFound(`upstream of ${network}`, names)
  }
  return plainAnswer(200, isCordon ? `${upstream} is cordoned: ${why}\n` : `${upstream} is in use\n`)
}

const isReason = new RegExp(`^\\P{Cc}{1,${longestWhy}}$`, 'u')

/** Names those that there are, and not what was asked for. */
function notFound(what: string, names: readonly string[]): HttpAnswer {
  return plainAnswer(404, `no such ${what}; there are: ${names.join(', ')}\n`)
}
