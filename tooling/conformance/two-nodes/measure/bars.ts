import type { Figures } from './observer.ts'

/** The longest that a read may take, in ms. */
export const longestStallMs = 2_000

/** Names the bars that a client's figures break, each as a sentence without a full stop. */
export function judge(figures: Figures): readonly string[] {
  const { client, reads, announced, sent, headsBack, noncesBack, unreadable } = figures
  const broken: string[] = []
  const report = (sentence: string): void => void broken.push(`${client}: ${sentence}`)
  if (figures.longestStallMs > longestStallMs) {
    report(`a read took ${(figures.longestStallMs / 1_000).toFixed(1)} s, bar ${longestStallMs / 1_000} s`)
  }
  if (headsBack > 0) report(`the head went back ${times(headsBack)}`)
  if (noncesBack > 0) report(`the pending nonce went back ${times(noncesBack)}`)
  if (unreadable > 0) report(`${unreadable} of ${announced} announced blocks could not be read`)
  if (reads === 0) report('no read was answered')
  if (announced === 0) report('no block was announced')
  if (sent === 0) report('no transaction was accepted')
  return broken
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)
