// The printed scripts, sourced by real shells: bash everywhere, zsh and fish where they are on the PATH, or have to be.
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/commands.ts'
import { file, runWayleave } from '../helpers.ts'

const scripts: Record<string, string> = {}

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    scripts[shell] = (await runWayleave(['completion', shell])).stdout
  }
}, 60_000)

const isRequired = process.env['REQUIRE_SERVICES'] !== undefined

function has(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0
}

/** The lines that a shell prints for a program that sources the script, given as `$1`. */
async function lines(shell: string, program: string, words: readonly string[]): Promise<readonly string[]> {
  const path = await file(`wayleave.${shell}`, scripts[shell]!)
  const { stdout, stderr, status } = spawnSync(shell, ['-c', program, shell, path, ...words], { encoding: 'utf8' })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  return stdout.split('\n').filter((line) => line !== '')
}

/** The offers of each shell for the last of these words. */
const offers: Readonly<Record<string, (words: readonly string[]) => Promise<readonly string[]>>> = {
  bash: (words) =>
    lines(
      'bash',
      'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _wayleave; printf "%s\\n" "${COMPREPLY[@]}"',
      words,
    ),
  zsh: (words) =>
    lines(
      'zsh',
      [
        'compdef() { : }; _files() { print FILES }; compset() { PREFIX=${PREFIX#*=} }',
        '_describe() { print -l -- ${(M)${found%%:*}:#$PREFIX*} }; compadd() { print -l -- ${(M)found:#$PREFIX*} }',
        'source "$1"; shift; words=("$@"); CURRENT=$#words; PREFIX=$words[-1]; _wayleave',
      ].join('\n'),
      words,
    ),
  fish: (words) =>
    lines(
      'fish',
      'source "$argv[2]"; complete -C (string join " " -- $argv[3..-1]) | string replace -r "\\t.*" ""; true',
      words,
    ),
}

describe.each(['bash', 'zsh', 'fish'])('wayleave completion %s', (shell) => {
  const isHere = has(shell) || isRequired
  const offered = (...words: readonly string[]): Promise<readonly string[]> =>
    offers[shell]!(['wayleave', ...words]).then((found) => found.toSorted())

  it.skipIf(!isHere)(`completes commands (needs ${shell})`, async () => {
    const all = await offered('')
    for (const { name } of commands) expect(all).toContain(name)
    expect(all).toEqual(expect.arrayContaining(['block', 'tx', 'receipt', 'balance', 'nonce', 'code', 'send']))
    expect(await offered('st')).toEqual(['starknet', 'storage-slot', 'store'])
    expect(await offered('--v')).toEqual(['--version'])
  })

  it.skipIf(!isHere)(`completes subcommands and methods (needs ${shell})`, async () => {
    expect(await offered('keys', 'ro')).toEqual(['rotate'])
    expect(await offered('ipfs', 'pin', '')).toEqual(['add', 'ls', 'rm'])
    expect(await offered('config', 'ch')).toEqual(['check'])
    expect(await offered('eth', 'get-balan')).toEqual(['get-balance'])
    expect(await offered('eth', 'subscribe', 'new')).toEqual(['newHeads', 'newPendingTransactions'])
    expect(await offered('starknet', 'get-storage-p')).toEqual(['get-storage-proof'])
    expect(await offered('starknet', 'subscribe', 'newH')).toEqual(['newHeads'])
    expect(await offered('rpc', 'debug_traceT')).toEqual(['debug_traceTransaction'])
    expect(await offered('completion', '')).toEqual(['bash', 'fish', 'zsh'])
  })

  it.skipIf(!isHere)(`completes flags, those of a method with it (needs ${shell})`, async () => {
    expect(await offered('eth', 'estimate-gas', '--max')).toEqual(['--max-fee-per-gas', '--max-priority-fee-per-gas'])
    expect(await offered('eth', 'block', '--f')).toEqual(['--full'])
    expect(await offered('block', '--f')).toEqual(['--full'])
    expect(await offered('starknet', 'get-nonce', '--contract')).toEqual(['--contract-address'])
    expect(await offered('ipfs', 'pin', 'add', '--rec')).toEqual(['--recursive=false'])
    expect(await offered('keys', 'create', 'shop', '--lab')).toEqual(['--label'])
  })

  it.skipIf(!isHere)(`completes the values of flags, and takes none for a word (needs ${shell})`, async () => {
    expect(await offered('eth', '--network', 'ro')).toEqual(['rollup-dev'])
    expect(await offered('eth', '--network', 'dev', 'get-balan')).toEqual(['get-balance'])
    expect(await offered('gas', '--level', '')).toEqual(['high', 'low', 'medium'])
    expect(await offered('starknet', '--spec-version', '0.1')).toEqual(['0.10'])
  })
})

/** Types `$2` and Tab at the prompt of a zsh with `$1` as its first folder of functions; prints the line once `$3` stands in it. */
const promptOfZsh = [
  'zmodload zsh/zpty',
  'zpty shell zsh -f -i',
  'zpty -w shell "PS1=; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D; print LOA\\"\\"DED"',
  'zpty -r shell seen "*LOADED*"',
  'zpty -n -w shell "$2"$\'\\t\'"#"',
  'zpty -r shell seen "*$3*#*"',
  'print -r -- $seen',
  'zpty -d shell',
].join('\n')

it.skipIf(!has('zsh') && !isRequired)(
  'zsh completes at a real prompt, from a file in its $fpath (needs zsh)',
  async () => {
    const path = await file('_wayleave', scripts['zsh']!)
    const { stdout } = spawnSync('zsh', ['-f', '-c', promptOfZsh, 'zsh', dirname(path), 'wayleave keys ro', 'rotate'], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect(stdout).toContain('wayleave keys rotate')
  },
)

it.skipIf(!has('bash') && !isRequired)(
  'bash cuts --flag=value into three words, and completes it all the same (needs bash)',
  async () => {
    expect(await offers['bash']!(['wayleave', 'eth', '--network', '=', 'ro'])).toEqual(['rollup-dev'])
    expect(await offers['bash']!(['wayleave', 'eth', '--network', '='])).toEqual(['dev', 'rollup-dev', 'starknet-dev'])
    expect(await offers['bash']!(['wayleave', 'eth', '--network', '=', 'dev', 'get-balan'])).toEqual(['get-balance'])
  },
)

it.each([
  [[], 'expected bash, zsh or fish'],
  [['bsah'], 'expected bash, zsh or fish, got "bsah" (did you mean "bash"?)'],
  [['bash', 'zsh'], 'expected bash, zsh or fish, got "bash zsh"'],
])('wayleave completion refuses %j', async (args, words) => {
  expect(await runWayleave(['completion', ...args])).toEqual({
    code: 2,
    stdout: '',
    stderr: `wayleave completion: ${words}\nwayleave completion --help tells more.\n`,
  })
})
