import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

if (Number(process.versions.node.split('.')[0]) < 24) {
  const here = `this is Node ${process.versions.node}`
  throw new Error(`Tests run on Node 24, and ${here}: use \`npm test\`, or put node_modules/.bin first on your PATH.`)
}

const conditions = ['@wayleave/source', 'node', 'module']

/**
 * Tests that measure or change what belongs to the process (its memory, its sockets, its listeners, its globals, its modules, flags of V8),
 * that measure other processes, or that keep each core busy.
 */
const alone = [
  'apps/cli/test/commands/config-lazy.test.ts',
  'packages/auth/test/key-directory.test.ts',
  'packages/dev-node/test/**/*.test.ts',
  'packages/gas-fees/test/source/hostile-nodes.test.ts',
  'packages/gateway/test/gateway.test.ts',
  'packages/gateway/test/collect.test.ts',
  'packages/gateway/test/accounts/accounts.test.ts',
  'packages/gateway/test/http/buffer-relief.test.ts',
  'packages/gateway/test/ipfs/hostile.test.ts',
  'packages/gateway/test/rpc/listener-connections.test.ts',
  'packages/ipfs-http/test/client/count-bytes.test.ts',
  'packages/jsonrpc-core/test/client.test.ts',
  'packages/jsonrpc-core/test/websocket-soak.test.ts',
  'packages/upstream/test/node/undici-port.test.ts',
  'tooling/{bench,console-lab,fault-lab}/test/**/*.test.ts',
  'tooling/conformance/test/{cache,fault-table,hostile,idle-sockets,new-connections,pool-bars,reload,small-memory,starvation,two-nodes}.test.ts',
]

/** The longest ones of each project, which would end alone if they began last. */
const longest = [
  'tooling/console-lab/test/kept-state',
  'tooling/conformance/test/fault-table',
  'tooling/console-lab/test/accessibility',
  'tooling/conformance/test/hostile',
  'tooling/conformance/test/starvation',
  'tooling/fault-lab/test/run/run-plan',
  'tooling/bench/test/bench',
  'tooling/console-lab/test/tail',
  'tooling/release/test/install-alone',
  'tooling/conformance/test/operator',
  'tooling/conformance/test/first-acts',
  'tooling/readme/test/readme-examples',
  'apps/proxy/test/workers/workers',
  'tooling/conformance/test/deployments',
  'tooling/site/test/examples',
  'tooling/conformance/test/writes',
  'packages/gateway/test/rpc/heads',
  'packages/network/test/streams/set-back',
  'tooling/conformance/test/ranges',
  'packages/gateway/test/metering/quota-end',
  'packages/gateway/test/replicas/kubo-pins',
  'apps/cli/test/commands/dev-process',
  'apps/proxy/test/main',
  'packages/stores/test/stores',
  'tooling/conformance/test/mcp',
  'packages/gateway/test/network/verdicts',
  'tooling/conformance/test/replicas',
  'packages/network/test/heads/impossible-heads',
  'packages/gateway/test/rpc/writes',
  'packages/gateway/test/reload/upstreams',
  'packages/gateway/test/workers/processes',
  'tooling/conformance/test/crash-seeds',
  'tooling/conformance/test/store-faults',
  'tooling/conformance/test/first-hour',
  'tooling/conformance/test/rolling',
  'tooling/conformance/test/ipfs-crash',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((file) => moduleId.endsWith(`${file}.test.ts`))
      return found < 0 ? longest.length : found
    }
    // oxlint-disable-next-line unicorn/no-array-sort -- no array's, and it leaves the files as they are
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b))
  }
}

// Tests import each other package's sources, so that none needs a build; launchers, installs and the bench run what was built.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    setupFiles: ['vitest.setup.ts'],
    // Hundreds of processes compile the same sources.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/wayleave-tests') },
    // A limit is a last resort on a busy machine, and no assertion of speed.
    testTimeout: 45_000,
    hookTimeout: 60_000,
    // How long a poll goes on says nothing but that what it waits for will never come.
    expect: { poll: { timeout: 40_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: alone,
          // More of them at once would measure each other.
          maxWorkers: availableParallelism(),
        },
      },
      // Starting a process and importing the same modules again costs more than most of these tests.
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{packages,apps,tooling}/*/test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone],
          isolate: false,
          // Most of them wait more than they compute.
          maxWorkers: 3 * availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
