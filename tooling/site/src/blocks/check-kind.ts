import type { Block } from '../markdown.ts'
import type { Page } from '../page.ts'

/**
 * The way in which a code block is checked:
 *
 * - `run`: by bash, beside a `wayleave dev`; of TypeScript by Node, with strict types
 * - `elsewhere`: run by another test, which its page's source has
 * - `types`: TypeScript, strictly, and not run: it asks what is not here
 * - `shell`: its commands, subcommands, flags, scripts and files exist
 * - `config`: served as a configuration, or as a part of one
 * - `json`, `python`, `go`, `script`: its syntax; Python and Go run in interop
 * - `file`: of another program; the shell lines of its page read it
 * - `wallet`: run with a wallet that stands in for the browser's
 * - `code`: printed by code that a test compares it with
 * - `shown`: a drawing, in Mermaid or as text, or an answer; a list names those of text
 */
export type CheckKind =
  | 'run'
  | 'elsewhere'
  | 'types'
  | 'shell'
  | 'config'
  | 'file'
  | 'json'
  | 'python'
  | 'go'
  | 'script'
  | 'wallet'
  | 'code'
  | 'shown'

/** Files whose commands and files other tests run, with those tests. */
export const ranElsewhere: Readonly<Record<string, string>> = {
  'docs/operator.md': 'tooling/conformance/test/operator.test.ts',
  'docs/first-hour.md': 'tooling/conformance/test/first-acts.test.ts',
}

/** The test that runs the TypeScript of READMEs, and of their pages in `docs/packages`. */
export const readmeTest = 'tooling/readme/test/readme-examples.test.ts'

/** Blocks without a language, or of text, by their file and how they begin: what they are. */
export const shownBlocks: readonly (readonly [source: string, begins: string, what: string])[] = [
  ['docs/upstreams.md', ' a call', 'a drawing'],
  ['docs/streams.md', 'retry: 2854', 'an answer; packages/gateway/test/rpc/sse has its form'],
  ['docs/results/interop.md', '', 'a result, as it was printed'],
]

/** Finds the way in which a block is checked; undefined if there is none, which is a fault. */
export function checkKindOf({ kind, source }: Page, { language, info, code }: Block): CheckKind | undefined {
  const isWritten = kind === 'written'
  if (Object.hasOwn(ranElsewhere, source) && (language === 'console' || language === 'yaml')) return 'elsewhere'
  switch (language) {
    case 'ts':
      if (isWritten) return info === 'types' ? 'types' : 'run'
      return info === '' && isReadme(source) ? 'elsewhere' : 'types'
    case 'typescript':
      return 'types'
    case 'sh':
      return isWritten && info !== 'shown' ? 'run' : 'shell'
    case 'console':
      return isWritten ? 'run' : 'shell'
    case 'yaml':
      return info === 'other' ? 'file' : 'config'
    case 'json':
      return 'json'
    case 'py':
      return 'python'
    case 'go':
      return 'go'
    case 'js':
      return info === 'wallet' ? 'wallet' : 'script'
    case 'mermaid':
      return 'shown'
    case 'text':
    case '':
      if (kind === 'generated') return 'code'
      if (shownBlocks.some(([file, begins]) => file === source && code.startsWith(begins))) return 'shown'
      return isWritten ? undefined : 'script'
    default:
      return undefined
  }
}

/** Tells whether the test of READMEs looks at a file. */
function isReadme(source: string): boolean {
  return /^(?:(?:(?:packages|apps|tooling)\/[\w-]+\/)?README|docs\/packages\/[\w-]+)\.md$/.test(source)
}
