import type { Config } from '../config/config.ts'
import type { ProjectConfig } from '../config/project-config.ts'

type Projects = Pick<Config, 'projects'>

/** Returns a function that names the groups whose upstreams may be asked for a project's calls, by its id; undefined: all may. */
export function groupsOf(config: Projects): (project: string | undefined) => readonly string[] | undefined {
  return settingOf(config, ({ upstreams }) => upstreams)
}

/** Returns a function that tells whether the callers of a project, by its id, are told upstreams by name. */
export function showsUpstream(config: Projects): (project: string | undefined) => boolean {
  const shows = settingOf(config, ({ showUpstream }) => showUpstream)
  return (project) => shows(project) ?? false
}

function settingOf<T>(
  { projects = [] }: Projects,
  read: (project: ProjectConfig) => T | undefined,
): (project: string | undefined) => T | undefined {
  const settings = new Map<string | undefined, T>()
  for (const project of projects) {
    const setting = read(project)
    if (setting !== undefined) settings.set(project.id ?? project.name, setting)
  }
  return (project) => settings.get(project)
}
