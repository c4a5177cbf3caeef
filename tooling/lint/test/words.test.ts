import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Words that the glossary of ARCHITECTURE.md has replaced, and the places where another meaning of theirs is right. */
const replaced: readonly (readonly [word: RegExp, instead: string, except?: RegExp])[] = [
  [
    /\b\w*Standings?\b|\bstandings?\b(?! (?:still|to)\b)/,
    'health, exclusion, FieldLevel',
    /^apps\/cli\/src\/commands\/verify/,
  ],
  [
    /\b(?:told|tell)[A-Z]\w*|\b\w+(?:Told|Tell)(?:[A-Z]\w*|\b)|\b(?:const|let|function|readonly) (?:told|tell)\b/,
    'report, announce',
  ],
  // Parts of an upload side by side are lanes.
  [/\b\w*Lanes?\b|\blanes?\b/, 'tenant', /^packages\/ipfs-http\//],
  [/\bfalsehoods?\b|\btruths\b/, 'falseAnswers, verifiedAnswers'],
  [/\bRooms\b|\brooms\b/, 'BufferPool'],
  [/\bunsaid|\bUnsaid/, 'UntranslatableError'],
  [/\b\w*[dD]ialects?\b/, 'apiVersion', /^packages\/stores\//],
  // An execution witness is the field's own word, and heads have witnesses.
  [/\b\w*[wW]itness(?:es)?\b/, 'AddVerifier', /^packages\/(?:evm-types|upstream\/src\/heads|network\/src\/kinds)\//],
  [/\b(?:he|him|his)\b/, 'they, them, their'],
  [/\bServedNetwork\b|\bserveNetwork\b|\bServing\b/, 'Network, Admission'],
]

function sources(): readonly string[] {
  const folders = ['packages', 'apps'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}/src`),
  )
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file}`),
  )
}

it('no identifier or comment uses a word that the glossary has replaced', () => {
  const files = sources()
  expect(files.length).toBeGreaterThan(500)
  const found = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, i) =>
        replaced.flatMap(([word, instead, except]) =>
          word.test(line) && except?.test(file) !== true
            ? [`${file}:${i + 1}: ${word.exec(line)![0]}, use ${instead}`]
            : [],
        ),
      ),
  )
  expect(found).toEqual([])
})
