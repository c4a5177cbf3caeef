import type { Answer } from '../callers.ts'
import { eventually, type Place, places, resultIn, type Scene } from './scene.ts'

const logAddress = `0x${'ab'.repeat(20)}`
const hashOf = (i: number): string => `0x${i.toString(16).padStart(64, '0')}`

interface Kind {
  readonly name: string
  readonly method: string
  readonly params: readonly unknown[]
  /** Makes what the filter tells. */
  readonly happen: (scene: Scene, i: number) => Promise<void> | void
}

const addBlock: Kind['happen'] = (scene) => scene.addBlock()
/** Pushes a transaction, and gives it time to come to every process: one that comes later than a poll may be told twice. */
async function push({ deployment }: Scene, transaction: unknown): Promise<void> {
  deployment.evm.push('newPendingTransactions', transaction)
  await new Promise((resolve) => setTimeout(resolve, 200))
}

const kinds: readonly Kind[] = [
  { name: 'blocks', method: 'eth_newBlockFilter', params: [], happen: addBlock },
  { name: 'logs', method: 'eth_newFilter', params: [{}], happen: addBlock },
  {
    name: 'logs of an address',
    method: 'eth_newFilter',
    params: [{ address: logAddress, topics: [`0x${'1'.repeat(64)}`] }],
    happen: addBlock,
  },
  {
    name: 'pending transactions',
    method: 'eth_newPendingTransactionFilter',
    params: [],
    happen: (scene, i) => push(scene, hashOf(i)),
  },
  {
    name: 'whole pending transactions',
    method: 'eth_newPendingTransactionFilter',
    params: [true],
    happen: (scene, i) => push(scene, { hash: hashOf(i), nonce: '0x1' }),
  },
]

/** Every kind of filter: made at each place, polled at both, ended at the other one. */
export async function filterEveryKind(scene: Scene): Promise<void> {
  const { transcript } = scene
  for (const place of places) {
    for (const kind of kinds) await useFilter(scene, kind, place)
    const refused: readonly (readonly [string, string, unknown])[] = [
      ['a filter of a wrong address', 'eth_newFilter', [{ address: '0x1' }]],
      ['a filter without params', 'eth_newFilter', []],
      ['changes of no filter', 'eth_getFilterChanges', [`0x${'9'.repeat(20)}`]],
      ['logs of no filter', 'eth_getFilterLogs', [`0x${'9'.repeat(20)}`]],
      ['the end of no filter', 'eth_uninstallFilter', [`0x${'9'.repeat(20)}`]],
      ['changes of what is no id', 'eth_getFilterChanges', ['filter']],
    ]
    for (const [name, method, params] of refused)
      transcript.answer(`filter, place ${place}: ${name}`, await scene.rpc(place, 'open', method, params))
  }
}

async function useFilter(scene: Scene, { name, method, params, happen }: Kind, place: Place): Promise<void> {
  const { transcript, rpc } = scene
  const entry = `filter of ${name}, made at place ${place}`
  const other = place === 0 ? 1 : 0
  const made = await rpc(place, 'filters', method, params)
  const id = resultIn(made.text)
  transcript.answer(entry, made)
  if (id === 'undefined') return
  transcript.hide(id, `id of the ${entry}`)
  const changes = (at: Place): Promise<Answer> => rpc(at, 'filters', 'eth_getFilterChanges', [id])
  const turns: readonly Place[] = [place, other, other, place]
  for (const [i, at] of turns.entries()) {
    await happen(scene, 16 * place + i + 1)
    let answer = await changes(at)
    await eventually(async () => {
      if (resultIn(answer.text) !== '') return true
      answer = await changes(at)
      return false
    }, 3_000).catch(() => {})
    transcript.answer(`${entry}: poll ${i + 1}, ${at === place ? 'there' : 'at the other place'}`, answer)
  }
  transcript.answer(`${entry}: logs`, await rpc(other, 'filters', 'eth_getFilterLogs', [id]))
  transcript.answer(`${entry}: for another project`, await rpc(other, 'open', 'eth_getFilterChanges', [id]))
  transcript.answer(`${entry}: end`, await rpc(other, 'filters', 'eth_uninstallFilter', [id]))
  transcript.answer(`${entry}: second end`, await rpc(place, 'filters', 'eth_uninstallFilter', [id]))
  transcript.answer(`${entry}: changes after the end`, await changes(place))
}

/** A project makes filters at one place and ends them at the other one, more of them in turn than it may have at once. */
export async function endFiltersElsewhere({ transcript, rpc }: Scene): Promise<void> {
  for (const place of places) {
    const other = place === 0 ? 1 : 0
    const outcomes: string[] = []
    for (let i = 0; i < 25; i++) {
      const made = await rpc(place, 'filters', 'eth_newBlockFilter')
      const id = resultIn(made.text)
      if (id === 'undefined') {
        outcomes.push(`${i}: ${made.status} ${made.text}`)
        break
      }
      outcomes.push(`${i}: made, ended: ${resultIn((await rpc(other, 'filters', 'eth_uninstallFilter', [id])).text)}`)
    }
    transcript.add(`filters that are made at place ${place} and ended at the other one`, outcomes)
  }
}

/** The quota of a project is one, wherever its filters are made. */
export async function haveFewFilters({ transcript, rpc }: Scene): Promise<void> {
  const ids: string[] = []
  for (const place of [0, 1, 1, 0, 1] as const) {
    const made = await rpc(place, 'few', 'eth_newBlockFilter')
    const id = resultIn(made.text)
    if (id === 'undefined') transcript.answer(`filters of a quota: refused at place ${place}`, made)
    else ids.push(id)
  }
  transcript.add('filters of a quota: made', [String(ids.length)])
  await rpc(1, 'few', 'eth_uninstallFilter', [ids[0]])
  const again = await rpc(0, 'few', 'eth_newBlockFilter')
  transcript.hide(resultIn(again.text), 'id of the filter after an end')
  transcript.answer('filters of a quota: one more after an end', again)
}
