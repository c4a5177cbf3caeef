// The places that name the version of the command, and what a release leaves behind. `node tooling/check/versions.mjs` writes the
// places; `npm run check` holds them, and the changelogs, to the manifests.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { published } from './packages.mjs'

/** Texts that name the version of `@wayleave/cli`: a file, and what stands before the version in it. */
const places = [
  ['deploy/helm/wayleave/Chart.yaml', /(?<=^appVersion: )\S+$/gm],
  ['deploy/README.md', /(?<=wayleave:)\d\S*(?= |$)/gm],
  ['docs/first-hour.md', /(?<=^\$ wayleave --version\n)\S+$|(?<=^\{"version":")[^"]+(?="\}$)/gm],
]

/** Most lines of one version in a changelog, and most characters of one: more of either nobody reads. */
const [mostLines, longestLine] = [12, 300]
/** The version of packages that were never published. */
const never = '0.0.0'

const manifestOf = (folder) => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))

/** Writes the version of the command into the places that name it. */
export function writeVersions() {
  const { version } = manifestOf('apps/cli')
  for (const [file, pattern] of places) writeFileSync(file, readFileSync(file, 'utf8').replace(pattern, version))
}

/** Tells what is wrong with versions: places that name another one, and changelogs that do not fit. */
export async function versions() {
  const { version } = manifestOf('apps/cli')
  const problems = []
  for (const [file, pattern] of places) {
    const named = readFileSync(file, 'utf8').match(pattern) ?? []
    if (named.length === 0) problems.push(`${file}: expected it to name the version of the command, got none`)
    for (const other of named)
      if (other !== version) problems.push(`${file}: expected ${version}, got ${other}: run tooling/check/versions.mjs`)
  }
  for (const folder of published()) problems.push(...changelogProblems(folder, manifestOf(folder)))
  problems.push(...pendingProblems())
  return problems
}

function changelogProblems(folder, { name, version }) {
  const file = `${folder}/CHANGELOG.md`
  if (version === never) return existsSync(file) ? [`${file}: expected none before the first release`] : []
  if (!existsSync(file)) return [`${file}: expected one, as the package is at ${version}`]
  const text = readFileSync(file, 'utf8')
  const [head, ...sections] = text.split(/^## /m)
  const problems = []
  if (head.trim() !== `# ${name}`) problems.push(`${file}: expected the heading "# ${name}"`)
  if (!sections[0]?.startsWith(`${version}\n`)) problems.push(`${file}: expected ${version} as its first version`)
  for (const section of sections) {
    const [of = '', ...lines] = section.split('\n').filter((line) => line !== '')
    const changes = lines.filter((line) => !line.startsWith('### '))
    if (changes.length > mostLines)
      problems.push(`${file}: expected at most ${mostLines} lines for ${of}, got ${changes.length}: condense them`)
    problems.push(...changes.flatMap((line) => lineProblems(`${file}: ${of}`, line)))
  }
  return problems
}

/** What is wrong with the changesets that wait for a release: lines that make no good changelog. */
function pendingProblems() {
  const ours = new Set(published().map((folder) => manifestOf(folder).name))
  return readdirSync('.changeset')
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .flatMap((name) => {
      const file = `.changeset/${name}`
      const [, front = '', summary = ''] = readFileSync(file, 'utf8').split(/^---\n/m)
      const names = [...front.matchAll(/^['"]([^'"]+)['"]: (?:patch|minor|major)$/gm)].map(([, named]) => named)
      const strange = names.filter((named) => !ours.has(named)).map((named) => `${file}: ${named} is not published`)
      if (names.length === 0) return [`${file}: expected packages, such as '@wayleave/client': minor`]
      const lines = summary.split('\n').filter((line) => line.trim() !== '')
      if (lines.length === 0) return [...strange, `${file}: expected a sentence for the changelog`]
      return [...strange, ...lines.flatMap((line) => lineProblems(file, `- ${line}`))]
    })
}

function lineProblems(place, line) {
  const problems = []
  if (!line.startsWith('- '))
    problems.push(`${place}: expected a line that begins with "- ", got "${line.slice(0, 60)}"`)
  // The tool writes the packages that a version needs, however many these are.
  if (line.length > longestLine && !line.startsWith('- Needs '))
    problems.push(`${place}: expected at most ${longestLine} characters, got "${line.slice(0, 60)}…"`)
  if (/^- [\da-f]{7}: /.test(line)) problems.push(`${place}: expected no hash of a commit, got "${line.slice(0, 60)}"`)
  return problems
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeVersions()
