import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../gather.ts'
import type { PageBlock } from './blocks.ts'

/** The folder of examples of a package: they resolve what it does. Those of pages resolve what the site depends on. */
const folderOf = ({ page }: PageBlock): string =>
  page.source.endsWith('/README.md')
    ? join(root, dirname(page.source), '.readme/site')
    : join(root, 'tooling/site/.readme')

/** A TypeScript block as a file. */
export interface ExampleFile {
  readonly block: PageBlock
  readonly file: string
}

/** Writes TypeScript blocks as files, as `change` has their text. */
export function writeExamples(
  blocks: readonly PageBlock[],
  change: (code: string) => string = (code) => code,
): readonly ExampleFile[] {
  for (const folder of new Set(blocks.map(folderOf))) rmSync(folder, { recursive: true, force: true })
  return blocks.map((block) => {
    const file = join(folderOf(block), `${block.place.replaceAll(/[/.:]/g, '-')}.ts`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, change(block.code))
    return { block, file }
  })
}

/** Removes the files again. */
export function removeExamples(examples: readonly ExampleFile[]): void {
  for (const { block } of examples) rmSync(folderOf(block), { recursive: true, force: true })
}

/** Settings of the compiler under which examples are checked: those of the repository, against its sources. */
export const exampleOptions = {
  noEmit: true,
  composite: false,
  isolatedDeclarations: false,
  declaration: false,
  declarationMap: false,
  rewriteRelativeImportExtensions: false,
  customConditions: ['@wayleave/source'],
  allowImportingTsExtensions: true,
  noUnusedLocals: false,
} as const
