import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { repositoryUrl } from '../import-page.ts'
import type { Generated } from '../page.ts'
import { codes, table } from './table.ts'

interface Manifest {
  readonly name: string
  readonly description: string
  readonly private?: boolean
  readonly engines: { readonly node: string }
  readonly dependencies?: Readonly<Record<string, string>>
}

const root = join(import.meta.dirname, '../../../..')

/** The layers as CONTRIBUTING.md has them, lowest first. */
const layers = ['l0', 'l1', 'l2', 'l3', 'l4', 'l5'] as const

/** Reads a manifest and the layer of its package. */
function read(file: string): Manifest & { readonly layer: string; readonly folder: string } {
  const folder = dirname(file)
  const manifest = JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest
  const turbo = JSON.parse(readFileSync(join(root, folder, 'turbo.json'), 'utf8')) as {
    readonly tags: readonly string[]
  }
  return { ...manifest, layer: turbo.tags[0]!, folder }
}

/** Makes the list of packages from their manifests. */
export async function packages(): Promise<Generated> {
  const all = globSync('{packages,apps}/*/package.json', { cwd: root })
    .map(read)
    .filter((manifest) => manifest.private !== true)
    .toSorted((a, b) => a.layer.localeCompare(b.layer) || a.name.localeCompare(b.name))
  const rows = all.map(({ name, description, engines, dependencies = {}, folder }) => {
    const foreign = Object.keys(dependencies).filter((dependency) => !dependency.startsWith('@wayleave/'))
    const page = existsSync(join(root, folder, 'README.md')) ? `./${folder.split('/')[1]}.md` : undefined
    const link = page ?? `${repositoryUrl}/tree/main/${folder}`
    return [`[\`${name}\`](${link})`, description, engines.node.replace('>=', ''), codes(foreign)]
  })
  const parts = layers.map((layer) => {
    const own = all.filter((manifest) => manifest.layer === layer)
    return `- \`${layer}\`: ${own.map(({ name }) => name.replace('@wayleave/', '')).join(', ')}`
  })
  return {
    source: 'packages',
    markdown: `# Packages

${all.length} packages, published one by one: ES modules with their types. Each is installed alone, and does one thing; [which one is yours](../guides/package.md). Those for Node 20.19
also run in current browsers, unless their page says otherwise.

${table(['package', 'purpose', 'Node from', 'packages of others'], rows)}

A package imports only from layers below its own:

${parts.join('\n')}
`,
  }
}
