import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { folder, runProcess, runWayleave, serveNode, wayleave } from './helpers.ts'

describe('wayleave', () => {
  it.each(['--help', '-h', 'help'])('%s lists the commands on stdout', async (flag) => {
    const { code, stdout, stderr } = await runWayleave([flag])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of ['dev', 'serve', 'config', 'eth', 'gas', 'rollup', 'rpc', 'storage-slot', 'verify'])
      expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'))
  })

  it('without a command lists them on stderr and exits 2', async () => {
    const { code, stdout, stderr } = await runWayleave([])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Usage: wayleave COMMAND')
  })

  it('names the commands that there are when it does not know one', async () => {
    const { code, stderr } = await runProcess(['devv'])
    expect(code).toBe(2)
    expect(stderr).toBe(
      'wayleave: there is no command "devv" (did you mean "dev"?); there are dev, serve, config, reload, top, doctor, backup, restore, store, explain, keys, projects, plans, usage, apply, audit, eth, gas, ipfs, rollup, rpc, starknet, storage-slot, verify, watch, mcp, completion\n',
    )
  })

  it.each([
    ['dev', ['--port N', '--ipfs-port N', '--admin-port N', '--host ADDRESS', '--data-dir DIR', '--json']],
    ['serve', ['--config FILE', '--json']],
    ['rpc', ['--rpc-url URL', '--network NAME', '--timeout SECONDS', '--json', '--raw', '--unchecked']],
    ['eth', ['--rpc-url URL', '--network NAME', '--timeout SECONDS', '--json', '--unchecked']],
    [
      'gas',
      ['--rpc-url URL', '--network NAME', '--timeout SECONDS', '--json', '--watch', '--count N', '--level LEVEL'],
    ],
    ['rollup', ['--rpc-url URL', '--network NAME', '--timeout SECONDS', '--json', '--unchecked']],
    ['verify', ['--anchor HASH', '--rpc-url URL', '--network NAME', '--timeout SECONDS', '--json']],
    ['storage-slot', ['--address A', '--type T', '--offset N', '--key-type T', '--block B', '--rpc-url URL']],
    ['config', ['init', 'check', 'diff', 'import', 'schema']],
    ['mcp', ['--admin URL', '--token-file FILE', '--config FILE', '--upstream URL', '--allow-writes']],
    ['ipfs', []],
    ['starknet', ['--spec-version V', '--rpc-url URL', '--network NAME', '--timeout SECONDS', '--json', '--unchecked']],
  ])('%s --help tells each of its flags', async (name, flags) => {
    const { code, stdout, stderr } = await runWayleave([name, '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.startsWith(`Usage: wayleave ${name} `)).toBe(true)
    for (const flag of flags) expect(stdout).toContain(`  ${flag}  `)
  })

  it('takes what follows -- for no flag', async () => {
    const { code, stdout, stderr } = await runWayleave(['ipfs', 'add', '--', join(await folder(), '-h'), '-h'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('-h: there is no such file')
  })

  it.each([
    ['WAYLEAVE_RPC_URL', ['rpc', 'eth_chainId'], '127.0.0.1:8545'],
    ['WAYLEAVE_IPFS_URL', ['ipfs', 'pin', 'ls'], '127.0.0.1:5001'],
  ])('takes an empty %s for none', async (name, args, host) => {
    const asked: URL[] = []
    vi.stubGlobal('fetch', async (target: string | URL) => {
      asked.push(new URL(target))
      return new Response('', { status: 400 })
    })
    onTestFinished(() => void vi.unstubAllGlobals())
    expect((await runWayleave(args, { [name]: '' })).code).toBe(1)
    expect(asked.map((url) => url.host)).toContain(host)
  })

  it('ends in silence when the reader of its output has left', async () => {
    const { url } = await serveNode(() => ['x'.repeat(1_000_000)])
    const { child, exited, stderr } = wayleave(['rpc', 'big_answer', '--rpc-url', url])
    child.stdout!.destroy()
    expect(await exited).toBe(0)
    expect(stderr()).toBe('')
  })
})
