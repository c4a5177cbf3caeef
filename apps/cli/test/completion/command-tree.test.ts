import { describe, expect, it } from 'vitest'
import { commands } from '../../src/commands.ts'
import { commandTree } from '../../src/completion/command-tree.ts'
import { rootHelp } from '../../src/root-help.ts'
import { runWayleave } from '../helpers.ts'

const nodes = await commandTree(rootHelp(commands), commands)

/** The words of a path, or of one below it where that alone takes flags. */
const callsOf = (path: string): readonly string[] =>
  path === 'ipfs pin' ? ['ipfs pin add', 'ipfs pin rm', 'ipfs pin ls'] : [path]

describe('the tree of commands', () => {
  it.each([
    ['keys', ['create', 'list', 'show', 'rotate', 'revoke', 'update', 'hash', 'import']],
    ['config', ['check', 'diff']],
    ['ipfs', ['add', 'cat', 'get', 'ls', 'pin', 'verify']],
    ['ipfs pin', ['add', 'rm', 'ls']],
    ['verify', ['tx', 'block', 'receipts', 'account', 'storage']],
    ['watch', ['heads', 'logs', 'receipts', 'pending', 'status']],
    ['eth', ['block', 'send', 'get-balance', 'subscribe']],
    ['eth subscribe', ['newHeads', 'logs', 'transactionReceipts', 'newPendingTransactions', 'syncing']],
    ['rollup', ['get-info', 'sync-status']],
    ['starknet', ['hash', 'selector', 'subscribe', 'get-nonce', 'get-storage-proof']],
    ['rpc', ['eth_chainId', 'rollup_getInfo', 'starknet_getNonce', 'starknet_getStorageProof']],
    ['completion', ['bash', 'zsh', 'fish']],
  ])('knows the words behind %s', (path, words) => {
    const names = nodes.find((node) => node.path === path)!.words.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(words))
    expect(new Set(names).size).toBe(names.length)
  })

  it('has each command, and no word that is none', async () => {
    expect(
      nodes
        .find(({ path }) => path === '')!
        .words.map(({ name }) => name)
        .slice(0, commands.length),
    ).toEqual(commands.map(({ name }) => name))
    for (const path of ['dev', 'serve', 'gas', 'apply', 'storage-slot', 'eth get-balance'])
      expect([path, nodes.find((node) => node.path === path)!.words]).toEqual([path, []])
  })

  it('names only flags that the command takes, and which of them take a value', async () => {
    const wrong: string[] = []
    for (const { path, flags } of nodes.filter((node) => node.path !== '')) {
      // A command of subcommands has its flags there, and some take none.
      expect([
        path,
        flags.length > 0 || /^(?:keys|projects|plans|store|ipfs|completion|config(?: schema)?)$/.test(path),
      ]).toEqual([path, true])
      for (const { name, value } of flags) {
        const given = value === undefined ? name : `${name}${name.startsWith('--') ? '=' : ''}1`
        // A flag too many, so that nothing is asked.
        const runs = callsOf(path).map((call) => runWayleave([...call.split(' '), given, '--a-flag-too-many']))
        const reported = (await Promise.all(runs)).map(({ stdout, stderr }) => `${stdout}${stderr}`)
        if (!reported.some((text) => text.includes('there is no flag --a-flag-too-many')))
          wrong.push(`${path} ${given}`)
      }
    }
    expect(wrong).toEqual([])
  }, 120_000)
})
