// Prints the way of each kind of call through the sources: functions, files, and changes of file and of package, counted by a hook that
// has each function of `packages/*/src` and of the apps report itself. A sign of the house's shape, no limit.
// Usage: node tooling/check/call-way.mjs [--functions WAY] [--json]
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { relative } from 'node:path'
import { parseSync } from 'oxc-parser'
import { MagicString } from 'magic-string'

const root = fileURLToPath(new URL('../../', import.meta.url))
const names = []
/** The functions entered since the last {@link record}, by index in `names`; undefined while nobody records. */
let entered
globalThis.wayEntered = (index) => void entered?.push(index)

/** Has each function of a module report that it is entered. */
function instrument(source, file) {
  const script = stripTypeScriptTypes(source, { mode: 'strip' })
  const text = new MagicString(script)
  const report = (name, start) => {
    names.push({
      file,
      package: file.split('/').slice(0, 2).join('/'),
      name: `${name}:${script.slice(0, start).split('\n').length}`,
    })
    return `wayEntered(${names.length - 1})`
  }
  const visit = (node, named) => {
    if (node === null || typeof node !== 'object') return
    if (Array.isArray(node)) return node.forEach((each) => visit(each, named))
    let name = node.id?.name ?? node.key?.name ?? named
    if (/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) && node.body !== null) {
      const call = report(node.id?.name ?? named ?? 'closure', node.start)
      if (node.body.type === 'BlockStatement') text.appendRight(node.body.start + 1, `${call};`)
      else {
        // The parentheses of `() => ({})` are no part of the node.
        let [from, to] = [node.body.start, node.body.end]
        while (/\(\s*$/.test(script.slice(node.start, from)) && /^\s*\)/.test(script.slice(to, node.end))) {
          from = node.start + script.slice(node.start, from).lastIndexOf('(')
          to += script.slice(to).indexOf(')') + 1
        }
        text.appendLeft(from, `(${call},`).appendRight(to, ')')
      }
      name = undefined
    }
    for (const key of Object.keys(node)) if (key !== 'type' && key !== 'start' && key !== 'end') visit(node[key], name)
  }
  const { program, errors } = parseSync(file.replace(/\.tsx?$/, '.mjs'), script)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  visit(program.body)
  return text.toString()
}

registerHooks({
  load(url, context, next) {
    const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : ''
    if (!/^(?:packages|apps)\/[^/]+\/src\/.*\.ts$/.test(file)) return next(url, context)
    return { format: 'module', source: instrument(readFileSync(new URL(url), 'utf8'), file), shortCircuit: true }
  },
})

/** Counts the functions that run from now until `run` has resolved and the process rested for `restMs`. */
export async function record(run, restMs = 60) {
  entered = []
  await run()
  await new Promise((resolve) => void setTimeout(resolve, restMs))
  const way = entered.map((index) => names[index])
  entered = undefined
  return way
}

/** How often each way is counted, once it is warm. */
const measured = 5

/** Counts what differs between neighbours. */
const changes = (way, key) => way.filter((each, i) => i > 0 && each[key] !== way[i - 1][key]).length

export function summaryOf(way) {
  const distinct = (of) => new Set(way.map(of)).size
  return {
    files: distinct(({ file }) => file),
    functions: distinct(({ file, name }) => `${file} ${name}`),
    entries: way.length,
    'changes of file': changes(way, 'file'),
    'changes of package': changes(way, 'package'),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // After the hook is there.
  const { openWays } = await import('./call-ways.mjs')
  await using opened = await openWays(() => fork(new URL('call-way-node.mjs', import.meta.url), { stdio: 'ignore' }))
  const only = process.argv.includes('--functions') ? process.argv[process.argv.indexOf('--functions') + 1] : undefined
  const found = {}
  for (const [name, { before = () => {}, run, warm = 200, restMs }] of Object.entries(opened.ways)) {
    if (only !== undefined && only !== name) continue
    let way
    for (let i = -warm; i < measured; i++) {
      await before()
      if (i < 0) await run()
      else {
        const next = await record(run, restMs)
        // The shortest has the least of what the process did beside it.
        if (way === undefined || next.length < way.length) way = next
      }
    }
    found[name] = summaryOf(way)
    if (only !== undefined) for (const { file, name: each } of way) console.log(`${file} ${each}`)
  }
  if (process.argv.includes('--json')) console.log(JSON.stringify(found))
  else console.table(found)
}
