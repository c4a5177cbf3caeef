import { IpfsError } from '../../error.ts'
import { single } from '../answers.ts'
import type { Command } from '../call.ts'

/** `POST /api/v0/version`. Source: Kubo `core/commands/version.go`. */
export const version: Command = {
  options: { all: 'bool', commit: 'bool', number: 'bool', repo: 'bool' },
  short: { n: 'number' },
  async run({ backend, backendCall, wait }) {
    return single(await wait(backend.version(backendCall)))
  },
}

/** `POST /api/v0/id`. Source: Kubo `core/commands/id.go`. */
export const id: Command = {
  options: { format: 'string', 'peerid-base': 'string' },
  short: { b: 'peerid-base', f: 'format' },
  async run({ backend, backendCall, options, wait }) {
    const own = await wait(backend.id(backendCall))
    const [asked = own['ID']] = options.args
    if (asked !== own['ID']) {
      throw new IpfsError('unsupported', 'this service tells of no peer but itself: leave the argument out')
    }
    return single(own)
  },
}

/** Creates `POST /api/v0/commands`: the tree of commands, and their options. Source: Kubo `core/commands/commands.go`. */
export function commandsOf(all: () => ReadonlyMap<string, Command>): Command {
  return {
    options: { flags: 'bool' },
    short: { f: 'flags' },
    async run() {
      const known = [...all()].map(([name, command]) => ({ path: name.split('/'), Options: optionsOf(command) }))
      return single({ Name: 'ipfs', Subcommands: below([], known), Options: [] })
    },
  }
}

interface KnownCommand {
  readonly path: readonly string[]
  readonly Options: readonly object[]
}

function below(path: readonly string[], known: readonly KnownCommand[]): readonly object[] {
  const inside = known.filter(
    (each) => each.path.length > path.length && path.every((name, at) => each.path[at] === name),
  )
  const names = new Set(inside.map((each) => each.path[path.length]!))
  return [...names].map((Name) => {
    const own = inside.find((each) => each.path.length === path.length + 1 && each.path.at(-1) === Name)
    return { Name, Subcommands: below([...path, Name], inside), Options: own?.Options ?? [] }
  })
}

function optionsOf({ options = {}, short = {} }: Command): readonly object[] {
  return Object.keys(options).map((name) => ({
    Names: [name, ...Object.keys(short).filter((letter) => short[letter] === name)],
  }))
}
