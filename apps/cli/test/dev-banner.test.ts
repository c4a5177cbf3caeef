import { Writable } from 'node:stream'
import { WriteStream } from 'node:tty'
import type { RunningGateway } from '@wayleave/gateway'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { banner } from '../src/dev-banner.ts'

const gateway = {
  rpc: 'http://127.0.0.1:8545',
  ws: 'ws://127.0.0.1:8545',
  admin: 'http://127.0.0.1:8546',
  networks: { dev: 31337, 'rollup-dev': 901 },
} as unknown as RunningGateway

/** A stream as a terminal of 256 colours has it. */
function stream(isTTY: boolean): NodeJS.WriteStream {
  return Object.assign(new Writable(), {
    isTTY,
    getColorDepth: WriteStream.prototype.getColorDepth,
  }) as unknown as NodeJS.WriteStream
}

describe('the banner of wayleave dev', () => {
  beforeEach(() => {
    vi.stubEnv('TERM', 'xterm-256color')
    for (const name of ['CI', 'FORCE_COLOR', 'NO_COLOR', 'NODE_DISABLE_COLORS']) vi.stubEnv(name, undefined)
  })

  afterEach(() => vi.unstubAllEnvs())

  it('has escape codes on a terminal alone, and none where NO_COLOR is set', () => {
    expect(banner(gateway, '.wayleave', stream(true))).toContain('\x1b[1mwayleave dev\x1b[22m')
    expect(banner(gateway, '.wayleave', stream(false))).not.toContain('\x1b')
    vi.stubEnv('NO_COLOR', '1')
    expect(banner(gateway, '.wayleave', stream(true))).not.toContain('\x1b')
  })

  it('has a line to copy for a call, and one for gas fees', () => {
    const lines = banner(gateway, '.wayleave', stream(false)).split('\n')
    expect(lines.filter((line) => line.startsWith('  curl ')).map((line) => line.split(' ')[3])).toEqual([
      'http://127.0.0.1:8545/v3/0123456789abcdef0123456789abcdef',
      'http://127.0.0.1:8545/v3/0123456789abcdef0123456789abcdef/networks/31337/suggestedGasFees',
    ])
  })

  it('names both transports of each network, in one column', () => {
    const lines = banner(gateway, '.wayleave', stream(false)).split('\n')
    const found = lines.filter((line) => /^ {2}.*\S+:\/\//.test(line) && !line.includes('curl'))
    expect(found.map((line) => line.slice(26))).toEqual([
      'http://127.0.0.1:8545/v3/0123456789abcdef0123456789abcdef',
      'ws://127.0.0.1:8545/ws/v3/0123456789abcdef0123456789abcdef',
      'http://127.0.0.1:8545/rollup-dev/v3/0123456789abcdef0123456789abcdef',
      'ws://127.0.0.1:8545/rollup-dev/ws/v3/0123456789abcdef0123456789abcdef',
      'http://127.0.0.1:8546/metrics',
    ])
  })
})
