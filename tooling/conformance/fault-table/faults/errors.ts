import { answerEach, printAnswer } from '../../src/client-faults/hostile-node.ts'
import type { Expected, Fault, NodeError } from '../fault.ts'

const says = (error: NodeError) => ({
  onPost: (post: Parameters<typeof answerEach>[0]) => answerEach(post, (call) => printAnswer(call, { error })),
})

/** An error that another node may not have. No node says so of a transaction that it has taken. */
function lacks(name: string, why: string, error: NodeError, alone: Expected = { error }): Fault {
  return { name, why, behaviour: says(error), alone, movesOn: true }
}

/** An error that is the answer: nobody else is asked. */
function answers(name: string, why: string, error: NodeError): Fault {
  return { name, why, behaviour: { ...says(error), isEverywhere: true }, beside: { error }, alone: { error } }
}

const reason = `0x08c379a0${'20'.padStart(64, '0')}${'4'.padStart(64, '0')}${'6e6f7065'.padEnd(64, '0')}`
const missing = { code: -32601, message: 'the method eth_getBalance does not exist/is not available' }

/** Errors with status 200, in the words of nodes and providers. */
export const errorFaults: readonly Fault[] = [
  lacks(
    'says that it is asked too often (Alchemy)',
    'another key has another limit; callers are not told of ours',
    { code: 429, message: 'Your app has exceeded its compute units per second capacity.' },
    { outage: /^no upstream (?:answered|can take this call): 1 rate limited$/ },
  ),
  lacks(
    'says that our requests of the day are used up (Infura)',
    'another key has some left; callers are not told of ours',
    { code: -32005, message: 'daily request count exceeded, request rate limited' },
    { outage: /^no upstream (?:answered|can take this call): 1 out of quota$/ },
  ),
  lacks('says: missing trie node (geth)', 'another node may have that state; alone, its words are the best answer', {
    code: -32000,
    message: 'missing trie node 5f1c (path ) state 0x5f1c is not available, not found',
  }),
  lacks('says: header not found (geth, erigon)', 'another node may have that block, already or still', {
    code: -32000,
    message: 'header not found',
  }),
  {
    name: 'says: Internal error (besu, Nethermind)',
    why: 'another node may not fail; whether this one had taken a transaction is not known',
    behaviour: says({ code: -32603, message: 'Internal error' }),
    alone: { error: { code: -32603, message: 'Internal error' } },
  },
  {
    ...lacks(
      'says that a method does not exist, beside a dead one',
      'the dead one has never answered it: a program that looks for features would take an outage for one',
      missing,
    ),
    // The dead one may have the method by which transactions are sent.
    aloneWrite: { outage: /^no upstream answered: (?=.*1 without the method)(?=.*1 unreachable)/ },
    behaviour: { ...says(missing), isBesideDead: true },
  },
  answers('says: execution reverted (geth)', 'every node would; the reason crosses unchanged', {
    code: 3,
    message: 'execution reverted: nope',
    data: reason,
  }),
  answers('says: invalid params (reth)', 'every node would', {
    code: -32602,
    message: 'invalid argument 0: odd length',
  }),
]
