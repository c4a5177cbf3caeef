/** Converts a mode of Go to the bits of POSIX: permissions, setuid, setgid and sticky. Source: boxo `files/util.go`. */
export function fromGoMode(mode: number): number {
  return ((mode & 0xc0_0000) >>> 12) | ((mode & 0x10_0000) >>> 11) | (mode & 0o777)
}
