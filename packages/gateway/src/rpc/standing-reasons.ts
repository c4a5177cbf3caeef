import type { EndpointView, HostReason } from '@wayleave/upstream'

/** Reasons that the view of the chain tells the log itself, with the heights. */
export const isToldByChain = (reason: string | undefined): boolean =>
  reason === 'wrong_chain' || reason === 'behind' || reason === 'ahead' || reason === 'unasked'

/** The host's reason for each standing of an upstream's head. One that does not tell its head may answer calls all the same. */
export const reasons: Readonly<Partial<Record<EndpointView['standing'], HostReason>>> = {
  behind: 'behind',
  ahead: 'ahead',
  forked: 'ahead',
}

/** Lines of the log for upstreams that are not left alone, by their state. */
export const texts: Readonly<Record<string, string>> = {
  silent: 'an upstream does not tell its head',
  chainless: 'an upstream does not tell its chain, and is asked all the same',
}
