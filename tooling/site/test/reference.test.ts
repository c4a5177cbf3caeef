// Each generated reference is equal to the code: compared with what the code says by another way than the generator's.
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { evmMethods } from '@wayleave/evm-types'
import { startGateway } from '@wayleave/gateway'
import { ipfsCommands } from '@wayleave/ipfs-http/server'
import { starknetMethods, starknetVersions } from '@wayleave/starknet-types'
import { describe, expect, it, onTestFinished } from 'vitest'
// @boundaries-ignore The command exports nothing; this is what its process runs.
import { run } from '../../../apps/cli/src/run.ts'
import { gatherSite, root } from '../src/gather.ts'
import { blocksOf } from '../src/markdown.ts'

const { pages, files } = await gatherSite()
const markdownOf = (path: string): string => pages.find((page) => page.path === path)!.markdown
const headings = (markdown: string, depth: number): readonly string[] =>
  [...markdown.matchAll(new RegExp(`^${'#'.repeat(depth)} (.+)$`, 'gm'))].map(([, text]) => text!)
const fileOf = (path: string): string => String(files.find((file) => file.path === `schemas/${path}`)!.content)
const jsonOf = (path: string): Readonly<Record<string, unknown>> => JSON.parse(fileOf(path)) as Record<string, unknown>

/** The part of a page below a heading, up to the next one. */
function partOf(markdown: string, heading: string): string {
  const lines = `\n${markdown}`.split(/\n(?=#{2,3} )/)
  return lines.find((part) => part.replace(/^#+ /, '').startsWith(`${heading}\n`))!
}

describe('methods of EVM nodes', () => {
  const page = markdownOf('reference/evm-methods.md')
  const values = page.slice(page.indexOf('## Values'))

  it('are those of the table, each with its sentence and its params', () => {
    const reported = headings(page.slice(0, page.indexOf('## Values')), 3)
    expect(reported.toSorted()).toEqual(Object.keys(evmMethods).toSorted())
    for (const [name, { summary, paramNames = [], source }] of Object.entries(evmMethods)) {
      const part = partOf(page, name)
      expect(part, name).toContain(summary)
      expect(part, name).toContain(`Defined by ${source}.`)
      const params = [...part.matchAll(/^\| `(\w+)` \| (required)?/gm)].map(
        ([, param, need]) => `${param}${need ? '' : '?'}`,
      )
      expect(params, name).toEqual(paramNames)
    }
  })

  it('name values that the page explains', () => {
    const explained = headings(values, 3)
    const linked = [...page.matchAll(/\[(\w+)\]\(#\w+\)/g)].map(([, name]) => name!)
    expect(new Set(linked).size).toBeGreaterThan(15)
    for (const name of linked) expect(explained).toContain(name)
  })
})

it('methods of Starknet are those of all versions, each with the params of the newest one that has it', () => {
  const page = markdownOf('reference/starknet-methods.md')
  const tables = starknetVersions.map((version) => [version, { ...starknetMethods[version] }] as const)
  const names = [...new Set(tables.flatMap(([, table]) => Object.keys(table)))]
  expect(headings(page, 3)).toEqual(names)
  for (const name of names) {
    const [version, table] = tables.findLast(([, methods]) => name in methods)!
    const { paramNames, summary } = table[name as keyof typeof table]!
    const part = partOf(page, name)
    expect(part, name).toContain(summary)
    const last = part.match(/^\| \d.*$/gm)!.at(-1)!
    expect(last, name).toMatch(new RegExp(`^\\| (?:\\S+ to )?${version.replaceAll('.', '\\.')} \\|`))
    const params = [...last.split('|')[2]!.matchAll(/`([\w?]+)`/g)].map(([, param]) => param!)
    expect(params, name).toEqual(paramNames)
  }
})

it('IPFS commands are those of the server', () => {
  expect(headings(markdownOf('reference/ipfs-commands.md'), 2)).toEqual(ipfsCommands)
})

describe('the command', () => {
  const page = markdownOf('reference/command.md')
  const titles = [...headings(page, 2), ...headings(page, 3)]
  const texts = new Map(titles.map((title) => [title, blocksOf(partOf(page, title))[0]!.code]))

  /** What the command prints for arguments. */
  async function printed(args: readonly string[]): Promise<string> {
    let text = ''
    const io = { stdout: (more: string) => (text += more), stderr: () => {}, env: {}, process }
    await run(args, io)
    return text
  }

  it('is told with each of its commands', async () => {
    const help = await printed(['--help'])
    const commands = [...help.slice(0, help.indexOf('Short for')).matchAll(/^ {2}([a-z-]+) /gm)].map(
      ([, name]) => name!,
    )
    expect(commands.length).toBeGreaterThan(20)
    expect(headings(page, 2).slice(1)).toEqual(commands.map((name) => `wayleave ${name}`))
  })

  it('has the texts that --help prints', async () => {
    for (const [title, text] of texts) {
      const words = title.split(' ').slice(1)
      expect(text.trimEnd(), title).toBe((await printed([...words, '--help'])).trimEnd())
    }
    expect(texts.size).toBeGreaterThan(40)
  })
})

describe('schemas', () => {
  it('of the admin API are the document that a gateway answers', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wayleave-site-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const token = '0123456789abcdef0123456789abcdef'
    await using gateway = await startGateway({
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      dataDir: folder,
      admin: { token },
      networks: { dev: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:1'] } },
      projects: [],
    })
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${gateway.admin}/admin/v1/openapi.json`, { headers })
    expect(jsonOf('admin.openapi.json')).toEqual(await answer.json())

    const page = markdownOf('reference/admin-api.md')
    const { paths } = jsonOf('admin.openapi.json') as { readonly paths: Readonly<Record<string, object>> }
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `\`${method.toUpperCase()} ${path}\``),
    )
    expect(headings(page.slice(0, page.indexOf('## Values')), 3)).toEqual(operations)
  })

  it('of the configuration are the file that the gateway is published with', () => {
    expect(fileOf('config.schema.json')).toBe(readFileSync(join(root, 'packages/gateway/config.schema.json'), 'utf8'))
  })

  it('of methods name those of their tables', () => {
    const methodsOf = (path: string): readonly string[] =>
      (jsonOf(path)['methods'] as readonly { readonly name: string }[]).map(({ name }) => name)
    expect(methodsOf('evm.openrpc.json').toSorted()).toEqual(Object.keys(evmMethods).toSorted())
    for (const version of starknetVersions) {
      expect(methodsOf(`starknet-${version}.openrpc.json`)).toEqual(Object.keys(starknetMethods[version]))
    }
  })
})

it('errors, configuration and metrics are the files that tests of the gateway hold to its code', () => {
  const sources = ['errors', 'configuration', 'metrics'].map(
    (name) => pages.find(({ path }) => path === `reference/${name}.md`)!.source,
  )
  expect(sources).toEqual(['docs/errors.md', 'docs/configuration.md', 'docs/metrics.md'])
  for (const name of ['errors', 'configuration', 'metrics']) {
    const test = readFileSync(join(root, `packages/gateway/test/reference/${name}.test.ts`), 'utf8')
    expect(test).toContain(`toMatchFileSnapshot('../../../../docs/${name}.md')`)
  }
})

it('errors in code have a cause and a remedy for each code that a package declares', () => {
  const page = markdownOf('reference/error-codes.md')
  const declared = globSync('packages/*/src/error.ts', { cwd: root }).flatMap((file) => {
    const [, name, union] = /export type (\w+)Code =\s*([^]*?)\n\n/.exec(readFileSync(join(root, file), 'utf8')) ?? []
    return name === undefined ? [] : [{ name, codes: [...union!.matchAll(/'(\w+)'/g)].map(([, code]) => code!) }]
  })
  expect(declared.length).toBeGreaterThan(7)
  for (const { name, codes } of declared) {
    const rows = [...partOf(page, name).matchAll(/^\| `(\w+)` \| (\S.*) \| (\S.*) \|$/gm)].map(([, code]) => code!)
    expect(rows.toSorted(), name).toEqual(codes.toSorted())
  }
})

it('each published package has a row in the list and a page', () => {
  const list = markdownOf('packages/index.md')
  const listed = [...list.matchAll(/^\| \[`@wayleave\/([\w-]+)`\]\(\.\/([\w-]+)\.md\)/gm)].map(([, name]) => name!)
  expect(listed.length).toBeGreaterThan(15)
  for (const name of listed) expect(markdownOf(`packages/${name}.md`)).toMatch(new RegExp(`^# @wayleave/${name}\n`))
})
