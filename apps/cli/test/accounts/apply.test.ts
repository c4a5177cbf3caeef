import { DatabaseSync } from 'node:sqlite'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { file, type Run, runProcess, runWayleave } from '../helpers.ts'
import { makePlace, type Place } from './helpers.ts'

async function place(): Promise<Place> {
  const made = await makePlace()
  onTestFinished(made.remove)
  return made
}

const accounts = (keys: string): Promise<string> =>
  file(
    'accounts.yaml',
    `plans: [{ id: free, limits: { perDay: { credits: 1000 } } }]\nprojects:\n  - id: shop\n    plan: free\n    keys: [${keys}]\n`,
  )
const [one, two] = ['{ id: k1, key: a-key-of-elsewhere-1 }', '{ id: k2, key: a-key-of-elsewhere-2 }']

it('prints a plan, makes it, and then finds nothing to do', async () => {
  const { configFile } = await place()
  const state = await accounts(`${one}, ${two}`)
  const args = ['apply', state, '--config', configFile]
  const plan = '+ plan free\n+ project shop\n+ key shop/k1\n+ key shop/k2\n'
  expect(await runWayleave([...args, '--dry-run'])).toEqual({
    code: 0,
    stdout: plan,
    stderr: '4 to add, 0 to change, 0 to remove; --dry-run made none\n',
  })
  expect(await runProcess(args)).toEqual({ code: 0, stdout: plan, stderr: '4 to add, 0 to change, 0 to remove\n' })
  expect(await runWayleave(args)).toEqual({ code: 0, stdout: '', stderr: `the store is as in ${state}\n` })
})

it('takes a key from a file beside the state', async () => {
  const { configFile } = await place()
  const state = await accounts('{ id: k1, key: "${file:key.txt}" }')
  const args = ['apply', state, '--config', configFile]
  expect((await runWayleave(args)).stderr).toContain(
    'key.txt to be a file of 1 to 65536 bytes that can be read, got ENOENT',
  )
  await writeFile(join(dirname(state), 'key.txt'), 'a-key-of-elsewhere-1\n')
  expect((await runWayleave(args)).code).toBe(0)
  const plain = await accounts(one)
  expect(await runWayleave(['apply', plain, '--config', configFile])).toMatchObject({ code: 0, stdout: '' })
})

it('removes only with --yes where nobody can be asked', async () => {
  const { configFile } = await place()
  const run = (state: string, ...args: string[]): Promise<Run> =>
    runWayleave(['apply', state, '--config', configFile, ...args])
  expect((await run(await accounts(`${one}, ${two}`))).code).toBe(0)
  const fewer = await accounts(two)
  const refused = await run(fewer)
  expect([refused.code, refused.stdout]).toEqual([2, '- key shop/k1\n'])
  expect(refused.stderr).toContain('expected --yes, since nobody can be asked here: 0 to add, 0 to change, 1 to remove')
  expect((await run(fewer, '--dry-run')).stdout).toBe('- key shop/k1\n')
  expect((await run(fewer, '--yes')).code).toBe(0)
  expect((await run(fewer)).stdout).toBe('')
})

it('names the line of everything that is wrong, repeats no key, and changes nothing', async () => {
  const { configFile } = await place()
  const run = (state: string): Promise<Run> => runWayleave(['apply', state, '--config', configFile])
  const wrong = await accounts('{ id: k1, key: a-key-of-elsewhere-1 }, { id: k1, key: too-short, labl: x }')
  const refused = await run(wrong)
  expect([refused.code, refused.stdout]).toEqual([2, ''])
  expect(refused.stderr.split('\n')).toEqual([
    'wayleave apply: nothing was changed',
    `  ${wrong}:5:83: projects[0].keys[1].labl: expected a known member, got an unknown member; did you mean "label"?`,
    `  ${wrong}:5:66: projects[0].keys[1].key: expected a key of 16 to 128 characters of A-Z a-z 0-9 _ -`,
    '',
  ])
  const clash = await file('accounts.json', '{ "plans": [],\n "projects": [{ "id": "demo" }] }')
  expect(await run(clash)).toEqual({
    code: 1,
    stdout: '',
    stderr: `wayleave apply: nothing was changed\n  ${clash}:2:23: projects[0].id: project "demo" comes from the configuration: change it there\n`,
  })
  for (const [name, text, message] of [
    ['a.json', '{', ':1:2: expected a closing bracket or quote, got the end of the file'],
    ['a.json', '{ "plans": [], "plans": [] }', ':1:16: plans: expected each member once, got it again, after line 1'],
    [
      'a.yaml',
      'plans: ["${NOT_SET_ANYWHERE}"]',
      ':1:9: plans[0]: expected the environment variable NOT_SET_ANYWHERE to be set, got nothing',
    ],
    ['a.yaml', '- 1', ': expected { plans, projects }'],
    ['a.yaml', 'dryRun: true', ': expected no member dryRun, but the flag --dry-run'],
    ['a.txt', '', ': expected a .ts, .js, .yaml or .json file, got another one'],
  ] as const) {
    const state = await file(name, text)
    const { code, stderr } = await run(state)
    expect([code, stderr]).toEqual([2, `wayleave apply: ${state}${message}\nwayleave apply --help tells more.\n`])
  }
  const listed = await runWayleave(['audit', '--config', configFile])
  expect(listed.stdout).toBe('')
})

it('tells how far it came where a change fails, and a second run makes the rest', async () => {
  const { configFile, database } = await place()
  const run = (...args: string[]): Promise<Run> => runWayleave([...args, '--config', configFile])
  await mkdir(dirname(database), { recursive: true })
  expect((await run('keys', 'list')).code).toBe(0)
  const sql = (text: string): void => {
    const db = new DatabaseSync(database)
    db.exec(text)
    db.close()
  }
  sql(`CREATE TRIGGER broken BEFORE INSERT ON account_keys WHEN NEW.id = 'k2' BEGIN SELECT RAISE(ABORT, 'broken'); END`)
  const state = await accounts(`${one}, ${two}`)
  const failed = await runProcess(['apply', state, '--config', configFile])
  expect([failed.code, failed.stdout]).toEqual([1, '+ plan free\n+ project shop\n+ key shop/k1\n+ key shop/k2\n'])
  expect(failed.stderr).toContain(
    '\n3 of 4 changes were made; mend the cause and run it again, which makes the rest:\n  + key shop/k2\n',
  )
  sql('DROP TRIGGER broken')
  expect(await run('apply', state)).toEqual({
    code: 0,
    stdout: '+ key shop/k2\n',
    stderr: '1 to add, 0 to change, 0 to remove\n',
  })
  expect((await run('apply', state)).stdout).toBe('')
})
