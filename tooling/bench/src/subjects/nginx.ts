import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { startCommand } from './child.ts'
import type { Subject, SubjectKind, SubjectOptions } from './subject.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

/** nginx as a plain reverse proxy with one worker and its own defaults: the base of every ratio. */
export const nginx: SubjectKind = {
  name: 'nginx',
  missing,
  start: (options) => start('nginx', '', options),
}

/** nginx tuned for large answers: they pass through larger buffers, and never through a file. */
export const nginxTuned: SubjectKind = {
  name: 'nginx-tuned',
  suites: ['large'],
  missing,
  start: (options) => start('nginx-tuned', largeBuffers, options),
}

function missing(): string | undefined {
  return find() === undefined ? 'nginx is neither on the PATH nor /usr/sbin/nginx' : undefined
}

/** Asks nginx for its version; undefined without nginx. */
export function nginxVersion(): string | undefined {
  return find()?.version
}

function find(): { readonly command: string; readonly version: string } | undefined {
  for (const command of ['nginx', '/usr/sbin/nginx']) {
    const { status, stderr } = spawnSync(command, ['-v'], { encoding: 'utf8' })
    if (status === 0) return { command, version: stderr.trim().replace(/^nginx version: nginx\//, '') }
  }
  return undefined
}

async function start(name: string, settings: string, { upstreamPort, clock }: SubjectOptions): Promise<Subject> {
  const folder = createTemporaryFolder('nginx')
  const port = await freePort()
  await writeFile(join(folder.path, 'nginx.conf'), printConfig(folder.path, port, upstreamPort, settings))
  const args = ['-p', folder.path, '-c', 'nginx.conf', '-e', 'stderr']
  const { child } = await startCommand<void>(clock, find()!.command, args, (process, resolve) => {
    const knock = (): void => {
      if (process.exitCode !== null) return
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        resolve()
      })
      socket.on('error', () => clock.after(20, knock))
    }
    knock()
  })
  return {
    name,
    pid: child.pid,
    target: { port, path: '/' },
    async [Symbol.asyncDispose]() {
      await child.close()
      folder.close()
    },
  }
}

const largeBuffers = `
      proxy_buffer_size 64k;
      proxy_buffers 16 64k;
      proxy_busy_buffers_size 256k;
      proxy_max_temp_file_size 0;`

function printConfig(folder: string, port: number, upstreamPort: number, settings: string): string {
  // Otherwise the workers of a root's nginx run as a user who cannot enter the folder.
  const user = process.getuid?.() === 0 ? `user ${userInfo().username};\n` : ''
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `${user}daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events {
  worker_connections 1024;
}
http {
  access_log off;
  keepalive_requests 1000000000;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  upstream bench {
    server 127.0.0.1:${upstreamPort};
    keepalive 128;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://bench;
      proxy_http_version 1.1;
      proxy_set_header Connection "";${settings}
    }
  }
}
`
}

/** Finds a port that nobody listens on. */
export function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const server = createServer()
  server.on('error', reject)
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    server.close(() => resolve(port))
  })
  return promise
}
