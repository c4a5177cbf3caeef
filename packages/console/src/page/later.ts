import type { ComponentType } from 'preact'
import { AuditPage } from './pages/audit.tsx'
import { GasPage } from './pages/gas.tsx'
import { InspectorPage } from './pages/inspector.tsx'
import { IpfsPage } from './pages/ipfs.tsx'
import { NetworksPage } from './pages/networks.tsx'
import { NotFoundPage } from './pages/not-found.tsx'
import { ProjectsPage } from './pages/projects.tsx'
import { ReplayPage } from './pages/replay.tsx'
import { StreamsPage } from './pages/streams.tsx'
import { TryPage } from './pages/try.tsx'

const pages: Readonly<Record<string, ComponentType>> = {
  try: TryPage,
  gas: GasPage,
  streams: StreamsPage,
  audit: AuditPage,
  ipfs: IpfsPage,
  inspector: InspectorPage,
  projects: ProjectsPage,
  replay: ReplayPage,
  networks: NetworksPage,
}

/** The page of a name; all of them are loaded once the first is opened. */
export function laterPage(name: string): ComponentType {
  return Object.hasOwn(pages, name) ? pages[name]! : NotFoundPage
}
