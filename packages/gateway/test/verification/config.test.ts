import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkConfig, type ConfigError, inspectConfig } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'

const network = (upstreams: readonly unknown[], more: object = {}): object => ({
  networks: { mainnet: { kind: 'evm', chainId: 1, upstreams, ...more } },
})

async function warningsOf(config: object): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-verify-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'wayleave.json')
  await writeFile(file, JSON.stringify(config))
  const { problems, warnings } = await inspectConfig(file, {})
  expect(problems).toEqual([])
  return warnings.map(({ path, expected, got }) => `${path}: ${expected}, got ${got}`)
}

describe('networks.<n>.verify', () => {
  it('is off, consistent or proven, of a network and of an upstream', () => {
    for (const verify of ['off', 'consistent', 'proven']) {
      checkConfig(network(['http://a'], { verify }))
      checkConfig(network([{ url: 'http://a', verify }]))
    }
    const wrong = (config: object): string => {
      try {
        checkConfig(config)
      } catch (thrown) {
        return (thrown as ConfigError).message
      }
      return 'right'
    }
    expect(wrong(network(['http://a'], { verify: 'prove' }))).toBe(
      'networks.mainnet.verify: expected "off" or "consistent" or "proven", got "prove"; did you mean "proven"?',
    )
    expect(wrong(network([{ url: 'http://a', verify: true }]))).toBe(
      'networks.mainnet.upstreams[0].verify: expected "off" or "consistent" or "proven", got true',
    )
  })

  it('is warned of where one upstream alone has to prove', async () => {
    const reported =
      'networks.mainnet.upstreams: another one beside it, or verify: consistent: blocks by number are proven by what most upstreams say, got one upstream'
    expect(await warningsOf(network(['ws://a'], { verify: 'proven' }))).toEqual([reported])
    expect(await warningsOf(network([{ url: 'ws://a', verify: 'proven' }]))).toEqual([reported])
    for (const fine of [
      network(['ws://a', 'ws://b'], { verify: 'proven' }),
      network([{ url: 'ws://a', verify: 'off' }], { verify: 'proven' }),
      network(['ws://a'], { verify: 'consistent' }),
    ]) {
      expect(await warningsOf(fine)).toEqual([])
    }
  })
})
