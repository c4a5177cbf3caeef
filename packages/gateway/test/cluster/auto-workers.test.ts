import { workerObstacle, autoWorkers } from '@wayleave/gateway'
import { expect, it } from 'vitest'

const v2 = { '/proc/self/cgroup': '0::/\n' }
const v1 = { '/proc/self/cgroup': '12:cpu,cpuacct:/docker/abc\n3:memory:/docker/abc\n' }

it.each([
  ['the cores, without a group', {}, 8, 8],
  ['the cores, where the quota is max', { ...v2, '/sys/fs/cgroup/cpu.max': 'max 100000\n' }, 8, 8],
  ['a quota of 2.5 CPUs', { ...v2, '/sys/fs/cgroup/cpu.max': '250000 100000\n' }, 8, 2],
  ['a quota of half a CPU', { ...v2, '/sys/fs/cgroup/cpu.max': '50000 100000\n' }, 8, 1],
  ['the cores, where the quota is more', { ...v2, '/sys/fs/cgroup/cpu.max': '1600000 100000\n' }, 4, 4],
  [
    'the quota of a group above',
    {
      '/proc/self/cgroup': '0::/system.slice/wayleave.service\n',
      '/sys/fs/cgroup/system.slice/cpu.max': '300000 100000\n',
      '/sys/fs/cgroup/system.slice/wayleave.service/cpu.max': 'max 100000\n',
    },
    8,
    3,
  ],
  [
    'a quota of v1, mounted as the container sees it',
    { ...v1, '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '200000\n', '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n' },
    8,
    2,
  ],
  [
    'no quota of v1',
    { ...v1, '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n', '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n' },
    8,
    8,
  ],
  ['one, of a file that says nothing', { ...v2, '/sys/fs/cgroup/cpu.max': '' }, 1, 1],
])('counts %s', (_, files: Readonly<Record<string, string>>, cores, count) => {
  expect(autoWorkers((path) => files[path], cores)).toBe(count)
})

it('names what keeps several processes from serving a configuration', () => {
  const config = { networks: { one: { upstreams: ['http://a'], policy: () => [] } } }
  expect(workerObstacle(config, 'linux')?.path).toBe('networks.one.policy')
  expect(workerObstacle({ networks: {} }, 'linux')).toBeUndefined()
  expect(workerObstacle({ networks: {} }, 'darwin')?.got).toContain('--workers 1')
})
