import { createContext, type RpcHandler, rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import type { Chain } from '../../src/rpc/chain.ts'
import { oneView } from '../../src/rpc/one-view.ts'
import { call } from '../support.ts'

/** One view over a pool that answers with the first of the params; texts that begin with `head` tell a head. */
function begin() {
  const waits: (() => void)[] = []
  /** Answers that others have outdone. */
  const outdated = new Set<string>()
  const chain = {
    settled: () => new Promise<void>((resolve) => waits.push(resolve)),
    tells: (_request: unknown, { result }: { result?: { text(): string } }) => result?.text().startsWith('"head'),
    unbelieved() {},
    takenBack() {},
    overtaken() {},
    needed() {},
    isOutdated: (_request: unknown, { result }: { result?: { text(): string } }) => outdated.has(result!.text()),
  } as unknown as Chain
  const pool: RpcHandler = async ({ params }) => ({ result: rawJsonFromValue((params!.value() as unknown[])[0]) })
  const handler = oneView(pool, chain, () => [], new FakeClock())
  const ask = (method: string, answer: string) => handler(call(method, [answer]), createContext({ timeoutMs: 60_000 }))
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  /** Lets all that waits go on. */
  const settle = (): Promise<void> => {
    for (const resolve of waits.splice(0)) resolve()
    return turn()
  }
  return { ask, settle, turn, outdated }
}

it('an answer that tells a head waits until replicas know it, and no other one does', async () => {
  const { ask, settle, turn } = begin()
  const answered: string[] = []
  const note = async (answer: string): Promise<void> => {
    const { result } = await ask('any', answer)
    answered.push((result as { text(): string }).text())
  }
  const all = [note('head 7'), note('other')]
  await turn()
  expect(answered).toEqual(['"other"'])
  await settle()
  await Promise.all(all)
  expect(answered).toEqual(['"other"', '"head 7"'])
})

it('an answer that others have outdone while it waited is asked for again, a few times at most', async () => {
  const { ask, settle, turn, outdated } = begin()
  outdated.add('"head 7"')
  let answers = 0
  const asked = ask('any', 'head 7').then(() => answers++)
  await turn()
  for (let i = 0; i < 3; i++) await settle()
  expect(answers).toBe(0)
  await settle()
  await asked
  expect(answers).toBe(1)
})
