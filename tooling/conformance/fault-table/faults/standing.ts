import type { Fault } from '../fault.ts'

const held: (() => void)[] = []
const heldMs = 30

/** Nodes that answer well, but not from where they should, or not in order. */
export const standingFaults: readonly Fault[] = [
  {
    name: 'answers over WebSocket twice, the last call first',
    why: 'the id tells whose an answer is, and a second one is ignored',
    behaviour: {
      onMessage(answer, socket) {
        held.push(() => socket.send(answer))
        if (held.length > 1) return
        setTimeout(() => {
          for (const send of held.splice(0).toReversed()) {
            send()
            send()
          }
        }, heldMs)
      },
    },
    alone: 'value',
    movesOn: true,
  },
  {
    name: 'is of another chain',
    why: 'each of its answers would be true, and of no use',
    behaviour: { chainId: '0x5' },
    alone: { outage: /^no upstream can take this call: 1 wrong chain$/ },
    movesOn: true,
    asked: 'never',
  },
  {
    name: 'stands still 48 blocks behind',
    why: 'another one is ahead; alone, nobody can know',
    behaviour: { head: 0x10 },
    alone: 'stale',
    movesOn: true,
    asked: 'never',
  },
]
