/** Names the tenant of what is asked for all projects with these groups: no project can have the name, nor fill its share. */
export function streamTenant(groups: readonly string[]): string {
  return `(streams) ${groups.join(' ')}`
}
