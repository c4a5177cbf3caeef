import type { ChainView } from '@wayleave/upstream'
import type { Chain } from './chain.ts'

/** Asks each upstream for its chain before its first call and after a lost connection, where no heads are followed, and leaves out those of another one. */
export function checkedChain(view: Pick<ChainView, 'of' | 'look'>): Pick<Chain, 'standingOf' | 'ready'> {
  return {
    standingOf: ({ endpoint }) => (view.of(endpoint).chain === 'wrong' ? 'wrong_chain' : undefined),
    ready: ({ endpoint }) => (view.of(endpoint).chain === 'unknown' ? view.look(endpoint) : undefined),
  }
}
