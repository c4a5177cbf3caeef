// Copies a store of 10,000 keys and a month of usage from SQLite to PostgreSQL in a process that is killed twice on the way, and compares both:
// `DATABASE=postgres://…/empty pnpm --filter @wayleave/bench store-copy [USAGE_ROWS] [KEYS]`. The database must be empty.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { openStores } from '@wayleave/stores'
import { systemClock as clock } from './defaults.ts'

const [usageRows = 1_000_000, keys = 10_000] = process.argv.slice(2).map(Number)
const postgres = process.env['DATABASE']
if (postgres === undefined) throw new Error('expected DATABASE, the URL of an empty PostgreSQL database')
const folder = mkdtempSync(join(tmpdir(), 'wayleave-store-copy-'))
const sqlite = join(folder, 'wayleave.sqlite')
try {
  await fill()
  console.error(`filled ${sqlite}: ${keys} keys, ${usageRows} rows of usage`)
  const begun = clock.now()
  // Two of three parts of the way: the first run ends at a third of the rows, the second one at two thirds.
  for (const share of [1 / 3, 2 / 3, undefined]) console.error(await copyUntil(share))
  const seconds = (clock.now() - begun) / 1_000
  console.log(`${usageRows} rows of usage, ${keys} keys: equal after ${seconds.toFixed(1)} s, two kills among them`)
} finally {
  rmSync(folder, { recursive: true })
}

/** Makes a month of usage, by SQL, and keys. */
async function fill(): Promise<void> {
  await (await openStores({ sqlite })).close()
  const database = new DatabaseSync(sqlite)
  database.exec(`begin;
    insert into account_projects (id, name, disabled, require_secret, require_jwt, jwt_keys, rules, secret_bypasses_rules, directives, created_at)
      with recursive n (i) as (select 0 union all select i + 1 from n where i < 99)
      select 'project-' || i, 'Project ' || i, 0, 0, 0, '[]', '{}', 0, '{}', 1790000000000 from n;
    insert into account_keys (id, project, digest, hint, label, disabled, secrets, created_at)
      with recursive n (i) as (select 0 union all select i + 1 from n where i < ${keys - 1})
      select 'key-' || i, 'project-' || (i % 100), printf('%064x', i), 'abcd', 'label ' || i, 0, '[]', 1790000000000 from n;
    insert into account_audit (seq, at, actor, action, kind, id, project)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${keys})
      select i, 1790000000000, 'bench', 'create', 'key', 'key-' || i, 'project-' || (i % 100) from n;
    update account_feed set seq = ${keys};
    insert into usage_rows (period, at, project, key, network, method, status, calls, credits)
      with recursive n (i) as (select 0 union all select i + 1 from n where i < ${usageRows - 1})
      select case i % 8 when 0 then 'hour' else 'minute' end, 1790000000000 / 3600000 * 3600000 + i / 1400 * 3600000,
        'project-' || (i % 100), 'key-' || (i % ${keys}), 'mainnet', 'eth_method' || (i % 14), '2xx', 1 + i % 7, 80 * (1 + i % 7) from n;
    commit`)
  database.close()
}

/** Runs the command. At this share of all rows it is killed; undefined: it runs to its end. Resolves with its last line. */
async function copyUntil(share: number | undefined): Promise<string> {
  const program = fileURLToPath(new URL('../../../apps/cli/bin/wayleave.js', import.meta.url))
  const args = [program, 'store', 'copy', '--from', sqlite, '--to', postgres!]
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] })
  const exited = once(child, 'exit')
  let last = ''
  for await (const line of createInterface({ input: child.stderr! })) {
    last = line
    const [, rows, total] = /^copied ([\d,]+) of ([\d,]+) rows$/.exec(line) ?? []
    const done = Number(rows?.replaceAll(',', '')) / Number(total?.replaceAll(',', ''))
    if (share !== undefined && done >= share) child.kill('SIGKILL')
  }
  const [code, signal] = (await exited) as [number | null, string | null]
  if (code !== 0 && share === undefined) throw new Error(`the copy failed: ${last}`)
  return signal === null ? last : `killed: ${last}`
}
