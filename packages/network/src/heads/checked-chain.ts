import type { ChainView } from '@wayleave/upstream'
import type { Chain } from './chain.ts'

/** Asks each upstream for its chain before its first call and after a lost connection, where no heads are followed, and leaves out those of another one. */
export function checkedChain(view: Pick<ChainView, 'of' | 'look'>): Pick<Chain, 'exclusionOf' | 'ready'> {
  return {
    exclusionOf({ endpoint }) {
      if (view.of(endpoint).chain !== 'wrong') return undefined
      // It is asked again, once a second at most, as long as callers come.
      void view.look(endpoint)
      return 'wrong_chain'
    },
    ready: ({ endpoint }) => (view.of(endpoint).chain === 'right' ? undefined : view.look(endpoint)),
  }
}
