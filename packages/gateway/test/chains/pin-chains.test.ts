import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config, NetworkConfig } from '@wayleave/gateway'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainPinsOptions, openChainPinner } from '../../src/chains/pin-chains.ts'
import { rejectionOf } from '../support.ts'

const evm: NetworkConfig = { kind: 'evm', upstreams: ['http://node'] }
const config = (networks: Config['networks']): Config => ({ networks })
type Answer = Awaited<ReturnType<NonNullable<ChainPinsOptions['ask']>>>

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'wayleave-chains-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

/** A pinner over nodes that give these answers in turn, the last one for good. */
async function pinnerOf(answers: readonly Answer[], dataDir?: string) {
  const clock = new FakeClock()
  const lines: string[] = []
  let asked = 0
  const log = { info: note, warn: note } as unknown as ChainPinsOptions['log']
  function note(fields: object, text: string): void {
    lines.push(`${JSON.stringify(fields)} ${text}`)
  }
  const pinner = await openChainPinner({
    dataDir,
    clock,
    log,
    ask: async () => answers[Math.min(asked++, answers.length - 1)]!,
  })
  return { pinner, clock, lines, asked: () => asked }
}

/** Lets half a second pass so many times, with a turn of the event loop for what it sets off. */
async function pass(clock: FakeClock, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(500)
  }
}

describe('chains of networks that name none', () => {
  it('are those of their nodes, and a chain id that is written is not asked for', async () => {
    const { pinner, asked } = await pinnerOf([{ chainId: 7 }])
    const { config: pinned, sources } = await pinner.pin(
      config({ a: evm, b: { ...evm, chainId: 8 } as NetworkConfig }),
      0,
    )
    expect([pinned.networks['a']!.chainId, pinned.networks['b']!.chainId]).toEqual([7, 8])
    expect(sources).toEqual({ a: 'asked' })
    expect(asked()).toBe(1)
  })

  it('are kept in the data folder, so that nodes are asked once', async () => {
    const dataDir = await folder()
    const first = await pinnerOf([{ chainId: 7 }], dataDir)
    await (await first.pinner.pin(config({ a: evm }), 0)).keep()
    expect(JSON.parse(await readFile(join(dataDir, 'chains.json'), 'utf8'))).toEqual({ a: { kind: 'evm', chainId: 7 } })
    const later = await pinnerOf([{ chainId: 9 }], dataDir)
    const { config: pinned, sources } = await later.pinner.pin(config({ a: evm }), 0)
    expect([pinned.networks['a']!.chainId, sources['a'], later.asked()]).toEqual([7, 'kept', 0])
  })

  it('are forgotten where a chain id is written, where the kind is another, and where the network is gone', async () => {
    const dataDir = await folder()
    const { pinner } = await pinnerOf([{ chainId: 7 }, { chainId: 7 }, { chainId: 7 }, { chainId: 'SN_MAIN' }], dataDir)
    await (await pinner.pin(config({ a: evm, b: evm, c: evm }), 0)).keep()
    const starknet: NetworkConfig = { kind: 'starknet', upstreams: ['http://node'] }
    const { sources, keep } = await pinner.pin(config({ a: { ...evm, chainId: 1 } as NetworkConfig, c: starknet }), 0)
    await keep()
    expect(sources).toEqual({ c: 'asked' })
    expect(JSON.parse(await readFile(join(dataDir, 'chains.json'), 'utf8'))).toEqual({
      c: { kind: 'starknet', chainId: 'SN_MAIN' },
    })
  })

  it('are not kept before they are served', async () => {
    const { pinner, asked } = await pinnerOf([{ chainId: 7 }, { chainId: 9 }])
    await pinner.pin(config({ a: evm }), 0)
    expect((await pinner.pin(config({ a: evm }), 0)).config.networks['a']!.chainId).toBe(9)
    expect(asked()).toBe(2)
  })

  it('are asked for again while no node answers, with one line of the log, until patience ends', async () => {
    const { pinner, clock, lines, asked } = await pinnerOf([{ fault: 'a: silent' }])
    const failed = rejectionOf(pinner.pin(config({ a: evm }), 2_000))
    await pass(clock, 10)
    expect(await failed).toMatchObject({
      message: 'networks.a.chainId: expected a chain id, or an upstream that tells it, got a: silent',
      isTemporary: true,
    })
    expect(asked()).toBe(5)
    expect(lines).toEqual(['{"network":"a"} no node of a network tells its chain yet, and it is asked again'])
  })

  it('come from a node that answers late', async () => {
    const { pinner, clock } = await pinnerOf([{ fault: 'silent' }, { fault: 'silent' }, { chainId: 7 }])
    const pinned = pinner.pin(config({ a: evm }), 10_000)
    await pass(clock, 4)
    expect((await pinned).config.networks['a']!.chainId).toBe(7)
  })

  it('are refused at once, by name, where nodes are of several', async () => {
    const { pinner, asked } = await pinnerOf([{ conflict: 'chain 1 from upstream-1, chain 2 from upstream-2' }])
    expect((await rejectionOf(pinner.pin(config({ 'my-net': evm }), 10_000))).message).toBe(
      'networks["my-net"].chainId: expected the chain that is meant, as its upstreams are of several, ' +
        'got chain 1 from upstream-1, chain 2 from upstream-2',
    )
    expect(asked()).toBe(1)
  })

  it('are told in the log, also where the name of the network means another one', async () => {
    const { pinner, lines } = await pinnerOf([{ chainId: 137 }])
    await (await pinner.pin(config({ mainnet: evm }), 0)).keep()
    expect(lines).toEqual([
      '{"network":"mainnet","chainId":137} the nodes of a network were asked for its chain',
      '{"network":"mainnet","chainId":137,"usual":1} the nodes of a network are of another chain than its name says',
    ])
  })

  it.each(['{', '[]', '{"a":{"kind":"evm","chainId":"7"}}', '{"a":{"kind":"bitcoin","chainId":7}}'])(
    'refuse a file with %s in it, and say what to do',
    async (content) => {
      const dataDir = await folder()
      await writeFile(join(dataDir, 'chains.json'), content)
      expect((await rejectionOf(pinnerOf([{ chainId: 7 }], dataDir))).message).toBe(
        'dataDir: expected chains.json in it as the gateway wrote it, or no such file: then nodes are asked for their chains again, got another content',
      )
    },
  )
})
