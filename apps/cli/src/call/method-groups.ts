import { listOf } from './method-help.ts'
import { kebabOf, type Method } from './methods.ts'

/** The groups of `wayleave eth --help`, in order. A method belongs to the first one that matches its name. */
const groups: readonly (readonly [title: string, names: RegExp])[] = [
  ['Accounts', /^eth_(?:accounts|get(?:Balance|Code|Proof|Storage\w+|TransactionCount))$/],
  ['Blocks', /^eth_(?:blockNumber|get(?:Block|Header|Uncle)\w+)$/],
  ['Logs, filters, subscriptions', /Filter|Logs$|^eth_subscribe$/],
  ['Calls', /^eth_(?:call|createAccessList|estimateGas|simulateV1)$/],
  ['Transactions', /Transaction|^eth_sign$/],
  ['Fees', /Fee|gasPrice$/i],
  ['The node', /^/],
]

/** Lists methods with their summaries, one per line, in groups. */
export function listInGroups(methods: readonly Method[]): string {
  const width = Math.max(...methods.map(({ name }) => kebabOf(name).length))
  return groups
    .map(
      ([title], i) => [title, methods.filter(({ name }) => groups.findIndex(([, of]) => of.test(name)) === i)] as const,
    )
    .filter(([, members]) => members.length > 0)
    .map(([title, members]) => `${title}:\n${listOf(members, width)}`)
    .join('\n\n')
}
