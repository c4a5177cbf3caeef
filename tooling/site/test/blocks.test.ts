// Every code block of every page has one way of being checked. Those that need no gateway are checked here.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { actsOfBlock, filesOf, listBlocks, type PageBlock } from '../src/blocks/blocks.ts'
import { problemsOfConfig } from '../src/blocks/check-config.ts'
import { type CheckKind, ranElsewhere, readmeTest, shownBlocks } from '../src/blocks/check-kind.ts'
import { faultsOfShell, readShellNames } from '../src/blocks/check-shell.ts'
import { gatherSite, root } from '../src/gather.ts'
import { readCommands, readHelpTexts } from '../src/generate/command.ts'

const { pages } = await gatherSite()
const blocks = listBlocks(pages)
const names = readShellNames(root, { commands: await readCommands(), helpOf: await readHelpTexts() })

const of = (...kinds: readonly CheckKind[]): readonly PageBlock[] =>
  blocks.filter(({ kind }) => kind !== undefined && kinds.includes(kind))
const isInstalled = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0

it('every block has one way of being checked', () => {
  expect(blocks.length).toBeGreaterThan(250)
  const without = blocks.filter(({ kind }) => kind === undefined)
  expect(without.map(({ place, language, info }) => `${place}: ${language} ${info}`)).toEqual([])
})

describe('what is checked elsewhere', () => {
  const elsewhere = of('elsewhere')

  it('has a test that reads its file', () => {
    const sources = new Set(elsewhere.map(({ page }) => page.source))
    for (const source of sources) {
      const test = ranElsewhere[source] ?? readmeTest
      const reads = source in ranElsewhere ? source.split('/').at(-1)! : 'README.md'
      expect(readFileSync(join(root, test), 'utf8'), source).toContain(reads)
    }
    for (const source of Object.keys(ranElsewhere)) expect(sources).toContain(source)
  })

  it('is a README that the test of READMEs finds, where no other test is named', () => {
    const readmes = new Set([
      'README.md',
      ...globSync(['{packages,apps,tooling}/*/README.md', 'docs/packages/*.md'], { cwd: root }),
    ])
    const others = elsewhere.filter(({ page }) => !(page.source in ranElsewhere))
    expect(others.length).toBeGreaterThan(40)
    expect(others.filter(({ page }) => !readmes.has(page.source)).map(({ place }) => place)).toEqual([])
  })
})

describe('a block of shell', () => {
  const shells = [...of('shell'), ...of('run').filter(({ language }) => language !== 'ts')]

  it('has the syntax of bash', () => {
    for (const block of shells) {
      for (const { command } of actsOfBlock(block)) {
        // What stands for a value of the reader's own: `<the Hash>`.
        const script = command.replaceAll(/<[a-z][\w ]*>/gi, 'VALUE')
        const { stderr } = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' })
        expect(stderr, block.place).toBe('')
      }
    }
  })

  it('calls commands, flags, scripts, packages and files that exist, unless its lines tell of a mistake', () => {
    const faults = shells.flatMap((block) =>
      actsOfBlock(block).flatMap(({ command, lines }) => {
        const isMistake = /^wayleave.*: there is no |^\{"error":\{"code":"usage"/.test(lines[0] ?? '')
        return isMistake ? [] : faultsOfShell(command, names).map((fault) => `${block.place}: ${fault}`)
      }),
    )
    expect(faults).toEqual([])
  })
})

it.each(of('config').map((block) => [block.place, block] as const))(
  'the configuration at %s can be served',
  async (_place, { code }) => {
    expect(await problemsOfConfig(code)).toEqual([])
  },
)

it('a file of another program is read by the shell lines of its page', () => {
  const files = of('file')
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) {
    const [name = ''] = Object.keys(filesOf([file]))
    const lines = of('run').filter(({ page }) => page === file.page)
    expect(
      lines.some(({ code }) => code.includes(name)),
      file.place,
    ).toBe(true)
  }
})

it('JSON is JSON, as a whole or line by line', () => {
  for (const { code, place } of of('json')) {
    const parts = code.startsWith('{\n') || code.startsWith('[\n') ? [code] : code.trim().split('\n')
    for (const part of parts) expect(() => JSON.parse(part), place).not.toThrow()
  }
})

it('a script, a call or a type has the syntax of TypeScript', async () => {
  for (const { code, place } of of('script')) {
    const asType = transform(`type T = ${code}`, { loader: 'ts' })
    const asModule = transform(code, { loader: 'ts', format: 'esm', target: 'esnext' })
    await expect(Promise.any([asModule, asType]), place).resolves.toBeDefined()
  }
})

it.skipIf(!isInstalled('python3', '--version'))('Python has the syntax of Python', () => {
  for (const { code, place } of of('python')) {
    const { stderr } = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
      input: code,
      encoding: 'utf8',
    })
    expect(stderr, place).toBe('')
  }
})

it.skipIf(!isInstalled('gofmt', '-h') && !isInstalled('go', 'version'))('Go is as gofmt writes it', () => {
  for (const { code, place } of of('go')) {
    const { stdout, stderr } = spawnSync('gofmt', ['-e'], { input: code, encoding: 'utf8' })
    expect(stderr, place).toBe('')
    expect(stdout, place).toBe(code)
  }
})

it('what is shown alone is in the list of drawings and answers, each of which is there', () => {
  const unused = shownBlocks.filter(
    ([source, begins]) => !of('shown').some(({ page, code }) => page.source === source && code.startsWith(begins)),
  )
  expect(unused).toEqual([])
})

it('the folder of pages holds no page that the site map leaves out', () => {
  const written = globSync('docs/site/pages/**/*.md', { cwd: root })
  const known = new Set(pages.map(({ source }) => source))
  expect(written.filter((file) => !known.has(file) && existsSync(join(root, file)))).toEqual([])
})
