import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../two-nodes/nodes/free-ports.ts'

/** A real nginx before some servers. It repeats no request: what a server loses is lost. */
export interface Balancer extends AsyncDisposable {
  /** `http://host:port`, and the same with `ws:`. */
  readonly url: string
  readonly ws: string
  /** Has it send to these servers alone, by port. What is open at others stays. */
  sendTo(ports: readonly number[]): Promise<void>
  /** The answers that each port has given so far; a WebSocket counts at its end. */
  answers(): Promise<ReadonlyMap<number, number>>
}

/** The reason why there is no nginx; undefined where there is one. */
export function missingNginx(): string | undefined {
  return command() === undefined ? 'expected nginx on the PATH or in /usr/sbin' : undefined
}

const command = (): string | undefined =>
  ['nginx', '/usr/sbin/nginx'].find((name) => spawnSync(name, ['-v'], { stdio: 'ignore' }).status === 0)

export async function startBalancer(folder: string, servers: readonly number[]): Promise<Balancer> {
  const [port] = (await freePorts(1)) as [number]
  const configFile = join(folder, 'nginx.conf')
  const accessLog = join(folder, 'access.log')
  await writeFile(configFile, print(folder, port, servers))
  const args = ['-p', folder, '-c', configFile, '-e', join(folder, 'nginx.log')]
  const child = spawn(command()!, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  child.stderr.pipe(createWriteStream(join(folder, 'nginx.err')))
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`nginx did not start: see ${folder}`)
    await sleep(20)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}`,
    async sendTo(ports) {
      await writeFile(configFile, print(folder, port, ports))
      child.kill('SIGHUP')
    },
    async answers() {
      const counts = new Map<number, number>()
      for (const [, at] of (await readFile(accessLog, 'utf8')).matchAll(/^127\.0\.0\.1:(\d+) /gm)) {
        counts.set(Number(at), (counts.get(Number(at)) ?? 0) + 1)
      }
      return counts
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', end)
      const closed = child.exitCode === null ? once(child, 'close') : undefined
      // The master ends its workers, also those that wait for sockets.
      child.kill('SIGTERM')
      await closed
    },
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return isOpen
}

function print(folder: string, port: number, servers: readonly number[]): string {
  // Its workers give up the rights of root, and could not open their files.
  const user = userInfo().uid === 0 ? 'user root;' : ''
  return `${user}
worker_processes 1;
worker_rlimit_nofile 16384;
daemon off;
pid ${folder}/nginx.pid;
events { worker_connections 8192; }
http {
  log_format who '$upstream_addr $upstream_status $status';
  access_log ${folder}/access.log who;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  upstream gateway {
    ${servers.map((server) => `server 127.0.0.1:${server} max_fails=0;`).join(' ')}
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://gateway;
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_read_timeout 1h;
      proxy_next_upstream off;
    }
  }
}
`
}
