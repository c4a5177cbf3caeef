import type { ChainViewOptions, EndpointView, HostReason, SelectionOptions } from '@wayleave/upstream'
import type { Log } from '@wayleave/telemetry'

/** Reasons that the view of the chain tells the log itself, with the heights. */
const isReportedByChain = (reason: string | undefined): boolean =>
  reason === 'wrong_chain' || reason === 'behind' || reason === 'ahead' || reason === 'unasked'

/** The host's reason for each health of an upstream's head. One that does not tell its head may answer calls all the same. */
export const reasons: Readonly<Partial<Record<EndpointView['health'], HostReason>>> = {
  behind: 'behind',
  ahead: 'ahead',
  forked: 'ahead',
}

/** Lines of the log for upstreams that are not left alone, by their state. */
const texts: Readonly<Record<string, string>> = {
  silent: 'an upstream does not tell its head',
  strange: 'an upstream has never told its chain, and is asked only where no other one can serve',
  chainless: 'an upstream does not tell its chain, and is asked all the same',
}

const isFalse = (exclusion: string | undefined): boolean => exclusion === 'false_answers' || exclusion === 'wrong_chain'

/** The states of a chain that count whatever the head. */
const reportedAlways: ReadonlySet<string> = new Set(['wrong', 'strange'])

/**
 * Tells the log of upstreams that are left alone, and of those that are asked again. `onFalse`: called with the name of an upstream that was found
 * to answer falsely, or to be of another chain, and when it counts as neither any more. `onOut`: called with the name of one that is left alone.
 */
export function exclusionChanges(
  network: string,
  log: Log,
  onFalse?: (endpoint: string, isFalse: boolean) => void,
  onOut?: (endpoint: string) => void,
): NonNullable<SelectionOptions['onExclusion']> {
  return ({ endpoint: { name: endpoint } }, exclusion, before) => {
    if (exclusion !== undefined && before === undefined) onOut?.(endpoint)
    if (isFalse(exclusion) || isFalse(before)) onFalse?.(endpoint, isFalse(exclusion))
    if (isReportedByChain(exclusion) || (exclusion === undefined && isReportedByChain(before))) return
    const fields = { network, endpoint, exclusion: exclusion ?? 'up', before: before ?? 'up' }
    if (exclusion === undefined) log.info(fields, 'an upstream is asked again')
    else if (exclusion === 'half_open') log.info(fields, 'an upstream has answered, and is tried again')
    else if (exclusion === 'suspected') log.info(fields, 'an upstream is silent, and is asked last')
    else log.repeats.warn(['out', network, endpoint, exclusion], fields, 'an upstream is left alone')
  }
}

/** Tells the log where upstreams stand, as far as their heads and chains tell. */
export function chainChanges(network: string, log: Log): NonNullable<ChainViewOptions['onChange']> {
  /** The states of upstreams that the log was told last. */
  const reportedStates = new Map<string, string>()
  return ({ name: endpoint }, now) => {
    const { health, reason } = now
    const chain = now.isStrange && now.head !== undefined ? 'strange' : now.chain
    // One that is looked at again stands where it stood, until that is known.
    if (chain === 'unknown' || (health === 'unknown' && !reportedAlways.has(chain))) return
    const state = reportedAlways.has(chain) ? chain : health === 'good' && chain === 'silent' ? 'chainless' : health
    if (state === (reportedStates.get(endpoint) ?? 'good')) return
    reportedStates.set(endpoint, state)
    const fields = { network, endpoint, chain, health, block: now.head?.number, reason }
    if (state === 'good') return log.info(fields, 'an upstream stands where the others are again')
    log.repeats.warn(['stands', network, endpoint, state], fields, texts[state] ?? 'an upstream is left alone')
  }
}
