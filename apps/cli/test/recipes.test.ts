import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { serve } from '../src/commands/serve.ts'
import { file, runWayleave } from './helpers.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const recipes = globSync('docs/recipes/*.md', { cwd: root }).map((path) => ({
  name: basename(path),
  text: readFileSync(root + path, 'utf8'),
}))
const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block]) => block!)

describe.each(recipes)('the recipe $name', ({ text }) => {
  it.each(blocksOf(text, 'yaml'))('has a configuration that can be served: %#', async (yaml) => {
    const env = Object.fromEntries(
      [...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, name], i) => [name!, `a-key-of-this-test-${i}`]),
    )
    const { code, stderr } = await runWayleave(['config', 'check', await file('wayleave.config.yaml', yaml)], env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('names only flags that wayleave serve has', () => {
    const lines = blocksOf(text, 'sh').join('').split('\n')
    const flags = lines.flatMap((line) => (line.startsWith('wayleave serve ') ? line.match(/--[\w-]+/g)! : []))
    expect(flags.length).toBeGreaterThan(0)
    expect(flags.filter((flag) => !String(serve.help).includes(`  ${flag} `))).toEqual([])
  })
})
