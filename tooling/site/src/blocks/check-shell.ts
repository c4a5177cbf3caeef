import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandNode } from '../generate/command.ts'

/** What shell lines may name. */
export interface ShellNames {
  /** The commands of `wayleave` with their words and flags, deeper paths first. */
  readonly commands: readonly CommandNode[]
  /** The text of `wayleave WORDS --help`, which may depend on other flags. */
  helpOf(words: readonly string[]): string
  /** Scripts by the name of their package; those of the root under an empty name. */
  readonly scripts: ReadonlyMap<string, ReadonlySet<string>>
  /** Names of the packages that are published here. */
  readonly packages: ReadonlySet<string>
  hasFile(path: string): boolean
}

/** Reads the scripts and packages of the repository. */
export function readShellNames(
  root: string,
  { commands, helpOf }: Pick<ShellNames, 'commands' | 'helpOf'>,
): ShellNames {
  const files = ['package.json', ...globSync('{packages,apps,tooling}/*/package.json', { cwd: root })]
  const manifests = files.map((file) => {
    const manifest = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
      readonly name: string
      readonly private?: boolean
      readonly scripts?: Readonly<Record<string, string>>
    }
    return { ...manifest, name: file === 'package.json' ? '' : manifest.name }
  })
  return {
    commands,
    helpOf,
    scripts: new Map(manifests.map(({ name, scripts = {} }) => [name, new Set(Object.keys(scripts))])),
    packages: new Set(manifests.flatMap((manifest) => (manifest.private === true ? [] : [manifest.name]))),
    hasFile: (path) => existsSync(join(root, path)),
  }
}

/** The words of each simple command of a script, as far as they can be told without running it. */
function simpleCommands(script: string): readonly (readonly string[])[] {
  return script
    .replaceAll(/\\\n/g, ' ')
    .replaceAll(/(^|\s)#.*$/gm, '')
    .replaceAll(/'[^']*'|"[^"]*"/g, (quoted) => quoted.replaceAll(/[|;&()\n<>]/g, '_').replaceAll(' ', '_'))
    .split(/\n|\|\|?|&&?|;|\$\(|[()]/)
    .map((command) =>
      command
        .replaceAll(/\d?[<>]+ ?\S+/g, '')
        .trim()
        .split(/\s+/)
        .filter((word) => word !== ''),
    )
    .map((words) => words.slice(words.findIndex((word) => !/^(?:\w+=.*|sudo|export|exec|env|time|nice)$/.test(word))))
    .filter((words) => words.length > 0)
}

/** Checks that what a script calls exists: commands and flags of `wayleave`, scripts of packages, files. */
export function faultsOfShell(script: string, names: ShellNames): readonly string[] {
  return simpleCommands(script).flatMap((words) => {
    const [program = '', ...rest] = words
    const first = rest.find((word) => !word.startsWith('-')) ?? ''
    switch (program) {
      case 'wayleave':
      case 'node_modules/.bin/wayleave':
        return faultsOfCommand(rest, names)
      case 'npx':
        return first === '@wayleave/cli' ? faultsOfCommand(rest.slice(rest.indexOf(first) + 1), names) : []
      case 'npm':
        return faultsOfNpm(rest, names)
      case 'pnpm':
        return faultsOfPnpm(rest, names)
      case 'node':
      case 'vitest':
        return rest
          .filter((word) => /^(?:tooling|packages|apps|docs)\//.test(word) && !names.hasFile(word))
          .map((word) => `there is no file ${word}`)
      default:
        return []
    }
  })
}

function faultsOfCommand(words: readonly string[], { commands, helpOf }: ShellNames): readonly string[] {
  const named = words.filter((word) => !word.startsWith('-'))
  const node = commands.find(({ path }) => path !== '' && `${named.join(' ')} `.startsWith(`${path} `))
  const flags = words
    .slice(0, words.includes('--') ? words.indexOf('--') : undefined)
    .filter((word) => /^--?[a-zA-Z]/.test(word))
    .map((word) => word.replace(/=.*/, ''))
  if (named.length === 0) {
    const own = ['--help', '-h', '--version', '-v', '--json']
    return flags.filter((flag) => !own.includes(flag)).map((flag) => `wayleave has no flag ${flag}`)
  }
  if (node === undefined) return named[0] === 'help' ? [] : [`wayleave has no command ${named[0]}`]
  const above = commands.filter(({ path }) => node.path === path || node.path.startsWith(`${path} `))
  const known = new Set([...above.flatMap((command) => command.flags.map(({ name }) => name)), '--help', '-h'])
  const isKnown = (flag: string): boolean => known.has(flag) || new RegExp(`${flag}\\b`).test(helpOf(words))
  return flags.filter((flag) => !isKnown(flag)).map((flag) => `wayleave ${node.path} has no flag ${flag}`)
}

function faultsOfNpm(words: readonly string[], { scripts, packages }: ShellNames): readonly string[] {
  const [verb = '', name = ''] = words.filter((word) => !word.startsWith('-'))
  if (verb === 'start' || verb === 'test' || verb === 'run') {
    const script = verb === 'run' ? name : verb
    return scripts.get('')!.has(script) ? [] : [`there is no script ${script}`]
  }
  if (verb !== 'install') return []
  const ours = words.filter((word) => word.startsWith('@wayleave/'))
  return ours.filter((word) => !packages.has(word)).map((word) => `there is no package ${word}`)
}

function faultsOfPnpm(words: readonly string[], { scripts }: ShellNames): readonly string[] {
  const at = words.indexOf('--filter')
  const name = at < 0 ? '' : words[at + 1]!
  const script = words.filter((word, i) => !word.startsWith('-') && i !== at + 1 && word !== 'run')[0] ?? ''
  if (at < 0 && !words.includes('run') && !scripts.get('')!.has(script)) return []
  const known = scripts.get(name)
  return known?.has(script) === true ? [] : [`there is no script ${script} in ${name === '' ? 'the root' : name}`]
}
