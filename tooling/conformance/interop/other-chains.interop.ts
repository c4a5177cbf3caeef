// go-ethereum's ethclient on a chain with null rounds and on one with flashblocks: through a gateway as at the node.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { type ChainName, differences, type Scene, startScene } from '../test/support/other-chains/scene.ts'

const program = process.env['CALLS_ETHCLIENT']
const chains: readonly ChainName[] = ['filecoin', 'base']
/** The blocks that are made while a client follows. */
const heads = 12

/** Runs the script of the client; `onReady` is called once it follows. Its lines by name, those of a name in order. */
async function run(
  { facts, logsOfBlock }: Scene,
  { http, ws }: { readonly http: string; readonly ws: string },
  onReady: () => void,
): Promise<Record<string, unknown[]>> {
  const env = {
    URL: http,
    WS: ws,
    CONTRACT: facts.contract,
    BLOCK: String(facts.block.number),
    BLOCK_HASH: facts.block.hash,
    PLACE: String(facts.place),
    TRANSACTION: facts.transactions[0]!,
    HEADS: String(heads),
    LOGS: String(heads * logsOfBlock),
  }
  const child = spawn(program!, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines: Record<string, unknown[]> = {}
  for await (const line of createInterface({ input: child.stdout })) {
    const { name, ...outcome } = JSON.parse(line) as { readonly name: string }
    ;(lines[name] ??= []).push(outcome)
    if (name === 'ready') onReady()
  }
  await exited
  return lines
}

describe.skipIf(program === undefined).each(chains)('on a chain like that of %s', (name) => {
  it('ethclient reads and follows what the node tells', async () => {
    await using scene = await startScene(name)
    let ready = 0
    const onReady = (): void => {
      if (++ready < 2) return
      for (let i = 0; i < heads; i++) scene.mine()
    }
    const [direct, through] = await Promise.all([run(scene, scene.direct, onReady), run(scene, scene.through, onReady)])
    expect(Object.keys(direct!).length).toBeGreaterThan(50)
    expect([direct!['head']?.length, direct!['log']?.length]).toEqual([heads, heads * scene.logsOfBlock])
    expect(differences(direct!, through!)).toEqual({})
  })
})
