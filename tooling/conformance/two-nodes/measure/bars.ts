import type { Figures } from './observer.ts'

/** The longest that a read may take, in ms. */
export const longestStallMs = 2_000

/** Names the bars that a client's figures break, each as a sentence without a full stop. */
export function judge(figures: Figures): readonly string[] {
  const { client, reads, announced, sent, headsBack, noncesBack, unreadable } = figures
  const broken: string[] = []
  const tell = (sentence: string): void => void broken.push(`${client}: ${sentence}`)
  if (figures.longestStallMs > longestStallMs) {
    tell(`a read took ${(figures.longestStallMs / 1_000).toFixed(1)} s, bar ${longestStallMs / 1_000} s`)
  }
  if (headsBack > 0) tell(`the head went back ${times(headsBack)}`)
  if (noncesBack > 0) tell(`the pending nonce went back ${times(noncesBack)}`)
  if (unreadable > 0) tell(`${unreadable} of ${announced} announced blocks could not be read`)
  if (reads === 0) tell('no read was answered')
  if (announced === 0) tell('no block was announced')
  if (sent === 0) tell('no transaction was accepted')
  return broken
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)
